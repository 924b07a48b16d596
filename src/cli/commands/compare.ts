import { compareEvaluations } from "../../statistics/report.ts";
import { defineCommand, FLAGS, flagSwitch } from "../command.ts";
import { EXIT, UsageError } from "../exit.ts";
import { againstLines } from "../pages/comparison.ts";
import { warningLine } from "../reporters/progress.ts";
import { type ComparedSource, contentWarning, readSource } from "../run/read-source.ts";
import { findEvaluation, type LazyStore, lazyStore, mustExist } from "../store.ts";
import { BLANK, jsonLine, printLines } from "../text/screen.ts";

/** Shows what changed from one evaluation to another, and whether it is statistically significant. */
export const compareCommand = defineCommand({
  flags: {
    json: { help: "print only { baseline, candidate, comparisons } as JSON", check: flagSwitch },
    ...FLAGS.store,
  },
  notes: [
    "A is the baseline. Each is an id or its first letters, NAME@latest or NAME@previous, ID:provider/model for one of its models, or a file of --json or --jsonl. Models are paired by name and problems by id; only a statistically significant difference is called one.",
    "Without A and B it compares the last two evaluations of the newest one's name.",
  ],
  async execute(host, [before, after, extra], flags) {
    if ((before !== undefined && after === undefined) || extra !== undefined) {
      throw new UsageError("compare takes two: the baseline, then what is compared with it.");
    }
    await using store = lazyStore(host, flags.store);
    const [first, second] =
      before === undefined || after === undefined ? await lastTwo(store) : [before, after];
    const baseline = await readSource(host, store, first);
    const candidate = await readSource(host, store, second);
    const comparisons = compareEvaluations(candidate, baseline);
    if (comparisons.length === 0) throw nothingInCommon(candidate, baseline);
    const warning = contentWarning(candidate.contents, baseline.contents, baseline.name);
    if (warning !== null) printLines(host.stderr, [warningLine(warning)]);
    const names = { baseline: baseline.name, candidate: candidate.name };
    if (flags.json) host.stdout.write(`${jsonLine({ ...names, comparisons })}\n`);
    else {
      const lines = againstLines({ baseline: baseline.name, comparisons }, host.stdout.columns);
      printLines(host.stdout, [[[candidate.name, "bold"]], BLANK, ...lines]);
    }
    return EXIT.done;
  },
});

async function lastTwo(store: LazyStore): Promise<readonly [string, string]> {
  const reader = mustExist(await store.openToRead());
  const { name } = await findEvaluation(reader, undefined);
  const [latest, previous] = await reader.listEvaluations({ name, limit: 2 });
  if (latest !== undefined && previous !== undefined) return [previous.id, latest.id];
  throw new UsageError(`There is only one evaluation named "${name}"; run it again, then compare.`);
}

function nothingInCommon(candidate: ComparedSource, baseline: ComparedSource): UsageError {
  const named = candidate.model ?? baseline.model;
  if (named !== null) return new UsageError(`${named} is not in both evaluations.`);
  return new UsageError(
    `${baseline.name} and ${candidate.name} have no model in common; name one of each: ID:provider/model.`,
  );
}
