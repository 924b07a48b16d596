import { randomUUID } from "node:crypto";
import * as z from "zod";
import { GrownEvaluation } from "../../api/routes/grow-evaluation.ts";
import { EvaluationRecord } from "../../domain/evaluation.ts";
import { EvaluatorError } from "../../domain/evaluator-error.ts";
import { ProblemId } from "../../domain/ids.ts";
import type { GrowRequest } from "../../engine/contract.ts";
import { checkOptions } from "../../engine/read-definition.ts";
import { showPath } from "../../isolation/show-path.ts";
import { loadDefinition } from "../../load-definition.ts";
import { growthLine } from "../report/growth-line.ts";
import { budgetOf, growthOf } from "../run/merge-options.ts";
import { isGrowing, type RunFlags } from "../run/run-flags.ts";
import { checkSameEvaluation } from "../run/same-evaluation.ts";
import { UsageError } from "../usage-error.ts";
import type { ApiClient } from "./api-client.ts";
import { chosenIds } from "./chosen-ids.ts";
import { type Watching, watchEvaluation } from "./watch-evaluation.ts";

export interface RemoteResume {
  readonly client: ApiClient;
  readonly flags: RunFlags;
  readonly stored: EvaluationRecord;
  /** The evaluation file, if one was named. */
  readonly path: string | undefined;
}

/** Goes on with an evaluation where an API is: it grows where the flags ask for more, else what failed is retried. */
export async function resumeRemote(watching: Watching, resume: RemoteResume): Promise<number> {
  const { client, flags, stored } = resume;
  const grown = isGrowing(flags) ? await grow(resume) : null;
  if (grown === null) {
    const budget = budgetOf(stored.budget ?? undefined, flags);
    await client.post(`/evaluations/${stored.id}/retry`, EvaluationRecord, budget);
    return watchEvaluation(watching, stored.id);
  }
  if (!flags.quiet) watching.note(growthLine({ from: stored.id, ...grown }));
  return watchEvaluation(watching, grown.id, { doneBefore: grown.keptRuns });
}

/** Null when the evaluation has all of it already, which here too is an ordinary resume. */
async function grow(resume: RemoteResume) {
  const { client, stored } = resume;
  const request = await requestOf(resume);
  const grown = client.post(`/evaluations/${stored.id}/grow`, GrownEvaluation, request, randomUUID());
  return grown.catch((error: unknown) => {
    if (error instanceof EvaluatorError && error.code === "evaluation.nothing_new") return null;
    throw error;
  });
}

async function requestOf({ flags, stored, path }: RemoteResume): Promise<GrowRequest> {
  const problemIds = await problemsOf(flags, stored, path);
  const request = growthOf(flags, stored.budget ?? undefined);
  return problemIds === null ? request : { ...request, problemIds };
}

/** Problems are known by their ids there; any other choice is made among those of the file. */
async function problemsOf(
  flags: RunFlags,
  stored: EvaluationRecord,
  path: string | undefined,
): Promise<ProblemId[] | null> {
  if (path !== undefined) {
    const { options } = await loadDefinition(path);
    checkSameEvaluation("run", showPath(path), checkOptions(options).name, stored);
    return chosenIds(options, flags);
  }
  const isByIdAlone = flags.tag.length === 0 && flags.sample === undefined && flags.limit === undefined;
  if (isByIdAlone) return flags.problem.length === 0 ? null : z.array(ProblemId).parse(flags.problem);
  throw new UsageError(
    "--tag, --sample and --limit choose among the problems of a file; name it too.",
    "run",
  );
}
