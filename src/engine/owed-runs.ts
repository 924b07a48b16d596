import type { Clock } from "../domain/clock.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { EvaluationId } from "../domain/ids.ts";
import { type PlanSize, type RunSpan, renumberRun } from "../domain/plan.ts";
import { type LogEntry, NO_BODY } from "../domain/run/log-entry.ts";
import type { RunRange } from "../domain/run/run-range.ts";
import {
  countCheckable,
  countDone,
  isChecking,
  isDone,
  isUnchecked,
  VERDICT,
} from "../domain/run/verdict.ts";
import type { ShardStats } from "../domain/stats/shard-stats.ts";
import type { Store } from "../store/store.ts";

/**
 * The runs of a span that a round still owes: those without an entry of it that failed before, or never ended. One that
 * only checks owes a verdict on every earlier result.
 */
export async function runsToDo(
  store: Pick<Store, "entries">,
  record: EvaluationRecord,
  round: number,
  { from, to }: RunSpan,
): Promise<number[]> {
  const isCheck = isChecking(record, round);
  const [done, unchecked] = [new Set<number>(), [] as number[]];
  for await (const entry of store.entries(record.id, { fromIndex: from, toIndex: to })) {
    if (entry.round >= round || isDone(entry, true)) done.add(entry.index);
    if (isUnchecked(entry, round)) unchecked.push(entry.index);
  }
  if (isCheck) return unchecked;
  return Array.from({ length: to - from }, (_, place) => from + place).filter((run) => !done.has(run));
}

/** Counts the runs of a row that another round would work on. */
export const countToDo = (verdicts: string, isCheck = false): number =>
  isCheck ? countCheckable(verdicts) : verdicts.length - countDone(verdicts, true);

/** Runs of which something is said without their having told it may have been under way then. */
export const hasUnheardOf = ({ verdicts, unchecked }: ShardStats): boolean =>
  unchecked > 0 || UNHEARD_OF.some((verdict) => verdicts.includes(verdict));

const UNHEARD_OF = [VERDICT.missing, VERDICT.cancelled, VERDICT.budget, VERDICT.crashed];

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

/** Neighbours with the same cause share a range; what lies between them has entries, which are in no range. */
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

/** Bodies are read and written one by one, and wait for the network more than they work. */
const AT_ONCE = 16;

/**
 * Gives runs of a grown evaluation what they left behind in the one before, under their new numbers, and answers
 * with those that have it now. `isWanted` says by the new number whether a run still needs something; what is there
 * already is left alone, so that it may be done again.
 */
export async function takeOver(
  store: Pick<Store, "findEvaluation" | "entries" | "readBody" | "saveEntry">,
  to: EvaluationRecord,
  span: RunSpan,
  isWanted: (number: number) => boolean,
): Promise<ReadonlySet<number>> {
  const taken = new Set<number>();
  const from = to.grownFrom === null ? null : await store.findEvaluation(to.grownFrom);
  const before = from === null ? null : spanBefore(span, to, from);
  if (from === null || before === null) return taken;
  const found = store.entries(from.id, { fromIndex: before.from, toIndex: before.to });
  await workThrough(found, AT_ONCE, async (entry) => {
    const index = renumberRun(entry.index, from, to);
    if (index === null || !isWanted(index) || !mayKeep(entry, to)) return;
    const { runId, round, attempts } = entry;
    // A run that was lost left nothing but word of it; a body that got lost is made again.
    const body = attempts.length === 0 ? NO_BODY : await store.readBody(from.id, runId, round, entry.index);
    if (body === null) return;
    await store.saveEntry(
      { ...entry, evaluationId: to.id, round: to.round, index, result: body.result },
      body,
    );
    taken.add(index);
  });
  return taken;
}

/** In a later round what failed has its new chance. */
const mayKeep = (entry: LogEntry, { round, keepsFailed }: EvaluationRecord): boolean =>
  isDone(entry, round > 1 || !keepsFailed);

/** Runs keep their order, so that a span of them was a span before; null when all of it is new. */
function spanBefore({ from, to }: RunSpan, grown: PlanSize, before: PlanSize): RunSpan | null {
  let [first, last]: [number | null, number | null] = [null, null];
  for (let run = from; run < to && first === null; run++) first = renumberRun(run, grown, before);
  for (let run = to - 1; run >= from && last === null; run--) last = renumberRun(run, grown, before);
  return first === null || last === null ? null : { from: first, to: last + 1 };
}

/** A budget holds for all that was paid for what an evaluation has, also before it grew; told once, when it begins. */
export async function countSpendBefore(
  store: Pick<Store, "addSpend" | "spent">,
  from: EvaluationId,
  to: EvaluationId,
): Promise<void> {
  await store.addSpend(to, await store.spent(from), 0);
}

/** Works on so many items at a time; after the first failure no further one is begun. */
export async function workThrough<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const queue = oneByOne(items);
  let isBroken = false;
  const worker = async (): Promise<void> => {
    for (let next = await queue.next(); !next.done && !isBroken; next = await queue.next()) {
      await work(next.value).catch((error: unknown) => {
        isBroken = true;
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  const broken = ends.find((end) => end.status === "rejected");
  if (broken !== undefined) throw broken.reason;
}

async function* oneByOne<Item>(items: AsyncIterable<Item> | Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
