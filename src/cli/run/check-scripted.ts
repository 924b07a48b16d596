import type { EvaluationOptions } from "../../engine/definition.ts";
import { UsageError } from "../usage-error.ts";
import type { RunFlags } from "./run-flags.ts";

/** Refuses a scripted model of `--model` that the file has no script for: its runs could only fail. */
export function checkScripted({ model }: RunFlags, { scripts, providerFactory }: EvaluationOptions): void {
  const known = Object.keys(scripts ?? {});
  if (providerFactory !== undefined || known.length === 0) return;
  const unknown = model.find((each) => each.providerKey === "scripted" && !known.includes(each.model));
  if (unknown === undefined) return;
  throw new UsageError(
    `--model scripted/${unknown.model} has no script; the file has scripts for ${known.join(", ")}.`,
    "run",
  );
}
