import { compareEvaluations } from "../../statistics/report.ts";
import { defineCommand, FLAGS, flagSwitch } from "../command.ts";
import { EXIT, UsageError } from "../exit.ts";
import { againstLines } from "../pages/comparison.ts";
import { type ComparedSource, readSource } from "../run/read-source.ts";
import { lazyStore } from "../store.ts";
import { BLANK, jsonLine, printLines } from "../text/screen.ts";

/** Shows what changed from one evaluation to another, and whether it is statistically significant. */
export const compareCommand = defineCommand({
  flags: {
    json: { help: "print only { baseline, candidate, comparisons } as JSON", check: flagSwitch },
    ...FLAGS.store,
  },
  notes: [
    "A is the baseline. Each is an id or its first letters, ID:provider/model for one of its models, or a file of --json or --jsonl. Models are paired by name and problems by id; only a statistically significant difference is called one.",
  ],
  async execute(host, [before, after, extra], flags) {
    if (before === undefined || after === undefined || extra !== undefined) {
      throw new UsageError("compare takes two: the baseline, then what is compared with it.");
    }
    await using store = lazyStore(host, flags.store);
    const baseline = await readSource(host, store, before);
    const candidate = await readSource(host, store, after);
    const comparisons = compareEvaluations(candidate, baseline);
    if (comparisons.length === 0) throw nothingInCommon(candidate, baseline);
    const names = { baseline: baseline.name, candidate: candidate.name };
    if (flags.json) host.stdout.write(`${jsonLine({ ...names, comparisons })}\n`);
    else {
      const lines = againstLines({ baseline: baseline.name, comparisons }, host.stdout.columns);
      printLines(host.stdout, [[[candidate.name, "bold"]], BLANK, ...lines]);
    }
    return EXIT.done;
  },
});

function nothingInCommon(candidate: ComparedSource, baseline: ComparedSource): UsageError {
  const named = candidate.model ?? baseline.model;
  if (named !== null) return new UsageError(`${named} is not in both evaluations.`);
  return new UsageError(
    `${baseline.name} and ${candidate.name} have no model in common; name one of each: ID:provider/model.`,
  );
}
