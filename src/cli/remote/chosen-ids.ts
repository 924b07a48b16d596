import type { ProblemId } from "../../domain/ids.ts";
import type { EvaluationOptions } from "../../engine/definition.ts";
import { sha256 } from "../../engine/digest.ts";
import { readDefinition } from "../../engine/read-definition.ts";
import { choiceOf } from "../run/merge-options.ts";
import type { RunFlags } from "../run/run-flags.ts";
import { UsageError } from "../usage-error.ts";

/** An API knows problems by their ids alone, so any other choice is made here; null when there is none. */
export async function chosenIds(options: EvaluationOptions, flags: RunFlags): Promise<ProblemId[] | null> {
  const choice = choiceOf(flags, null);
  if (Object.keys(choice).length === 0) return null;
  const { problems } = await readDefinition(options, sha256, choice);
  if (problems.length > 0) return problems.map(({ id }) => id);
  throw new UsageError("These flags choose no problem.", "run");
}
