import * as z from "zod";
import { compareEvaluations } from "../../statistics/compare.ts";
import type { Execute } from "../command-table.ts";
import { readSource, type Source } from "../compare/read-source.ts";
import { EXIT, UsageError } from "../errors.ts";
import { flagSwitch, readFlags } from "../flags.ts";
import { againstLines } from "../pages/comparison.ts";
import { printLines } from "../screen.ts";
import { LazyStore } from "../store.ts";
import { BLANK } from "../text/line.ts";

export const CompareFlags = z.strictObject({
  json: flagSwitch,
  store: z.string().min(1, "a folder").optional(),
});

/** What changed from one evaluation to another, and whether it is more than chance. */
export const execute: Execute = async (host, words, raw) => {
  const flags = readFlags("compare", CompareFlags, raw);
  const [before, after, extra] = words;
  if (before === undefined || after === undefined || extra !== undefined) {
    throw new UsageError("compare takes two: the baseline, then what is compared with it.", "compare");
  }
  await using store = new LazyStore(host, flags.store);
  const reader = { cwd: host.cwd, openStore: () => store.openToRead(), command: "compare" };
  const baseline = await readSource(reader, before);
  const candidate = await readSource(reader, after);
  const comparisons = compareEvaluations(candidate, baseline);
  if (comparisons.length === 0) throw nothingInCommon(candidate, baseline);
  const names = { baseline: baseline.name, candidate: candidate.name };
  if (flags.json) host.stdout.write(`${JSON.stringify({ ...names, comparisons })}\n`);
  else {
    const lines = againstLines(baseline.name, comparisons, host.stdout.columns);
    printLines(host.stdout, [[[candidate.name, "bold"]], BLANK, ...lines]);
  }
  return EXIT.done;
};

function nothingInCommon(candidate: Source, baseline: Source): UsageError {
  const named = candidate.model ?? baseline.model;
  if (named !== null) return new UsageError(`Not both have the model that is named, ${named}.`, "compare");
  return new UsageError(
    `${baseline.name} and ${candidate.name} have no model in common; name one of each: ID:provider/model.`,
    "compare",
  );
}
