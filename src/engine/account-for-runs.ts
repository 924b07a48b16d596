import type { Clock } from "../domain/clock.ts";
import type { EvaluationId } from "../domain/ids.ts";
import type { RunRange } from "../domain/run/run-range.ts";
import type { Store } from "../store/store.ts";

export type LostCause = RunRange["cause"];

interface Accounting {
  readonly store: Pick<Store, "entries" | "saveRange">;
  readonly clock: Pick<Clock, "now">;
  readonly evaluationId: EvaluationId;
  readonly round: number;
  /** Instead of what is usually said of the cause. */
  readonly message?: string;
}

const MESSAGES: Readonly<Record<LostCause, string>> = {
  cancelled: "the evaluation was cancelled before this run started",
  budget: "the evaluation's budget was spent before this run started; resume it with a larger one",
  crashed: "the runner was lost and left no entry; retry the evaluation to run it again",
};

/** Leaves a word about every run of a round that ended without an entry; `causeOf` says why. */
export async function accountForRuns(
  { store, clock, evaluationId, round, message }: Accounting,
  runs: readonly number[],
  causeOf: (run: number) => LostCause,
): Promise<void> {
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined) return;
  const ended = new Set<number>();
  for await (const entry of store.entries(evaluationId, { fromIndex: first, toIndex: last + 1 })) {
    if (entry.round >= round) ended.add(entry.index);
  }
  const lost = runs.filter((run) => !ended.has(run));
  const at = clock.now().toISOString();
  for (const { from, to, cause } of rangesOf(lost, causeOf)) {
    const said = message ?? MESSAGES[cause];
    await store.saveRange({ v: 1, evaluationId, round, from, to, cause, message: said, at });
  }
}

interface CauseRange {
  readonly from: number;
  readonly to: number;
  readonly cause: LostCause;
}

/** Neighbours with the same cause share a range; what lies between them has entries, which are no part of any range. */
export function rangesOf(runs: readonly number[], causeOf: (run: number) => LostCause): CauseRange[] {
  const ranges: CauseRange[] = [];
  for (const run of runs) {
    const cause = causeOf(run);
    const before = ranges.at(-1);
    if (before?.cause === cause) ranges.splice(-1, 1, { ...before, to: run + 1 });
    else ranges.push({ from: run, to: run + 1, cause });
  }
  return ranges;
}
