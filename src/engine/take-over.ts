import { NO_SPEND } from "../domain/budget.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { EvaluationId } from "../domain/ids.ts";
import { type PlanSize, type RunSpan, renumberRun } from "../domain/plan.ts";
import { type LogEntry, NO_BODY, type RunBody } from "../domain/run/log-entry.ts";
import { isDone } from "../domain/run/verdict.ts";
import type { Store } from "../store/store.ts";

interface TakeOver {
  readonly store: Pick<Store, "entries" | "readBody" | "saveEntry">;
  readonly from: EvaluationRecord;
  /** The evaluation that grew out of it, in the round that works on it. */
  readonly to: EvaluationRecord;
  readonly span: RunSpan;
  /** Whether a run, by its new number, still needs something. */
  readonly isWanted: (number: number) => boolean;
}

/** Bodies are read and written one by one, and wait for the network more than they work. */
const AT_ONCE = 16;

/**
 * Gives runs of a grown evaluation what they left behind in the one before, under their new numbers, and answers
 * with those that have it now. What is there already is left alone, so that it may be done again.
 */
export async function takeOver({ store, from, to, span, isWanted }: TakeOver): Promise<ReadonlySet<number>> {
  const taken = new Set<number>();
  const before = spanBefore(span, to, from);
  if (before === null) return taken;
  const found = store.entries(from.id, { fromIndex: before.from, toIndex: before.to });
  await workThrough(found, AT_ONCE, async (entry) => {
    const index = renumberRun(entry.index, from, to);
    if (index === null || !isWanted(index) || !mayKeep(entry, to)) return;
    const body = await bodyOf(store, entry);
    // What got lost is run again.
    if (body === null) return;
    const { id: evaluationId, round } = to;
    await store.saveEntry({ ...entry, evaluationId, round, index, result: body.result }, body);
    taken.add(index);
  });
  return taken;
}

/** A run that was lost left nothing but word of it. */
const bodyOf = async (store: Pick<Store, "readBody">, entry: LogEntry): Promise<RunBody | null> => {
  const { evaluationId, runId, round, index, attempts } = entry;
  return attempts.length === 0 ? NO_BODY : store.readBody(evaluationId, runId, round, index);
};

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
  store: Pick<Store, "addSpend">,
  from: EvaluationId,
  to: EvaluationId,
): Promise<void> {
  await store.addSpend(to, await store.addSpend(from, NO_SPEND));
}

/** Works on so many items at a time; after the first failure no further one is begun. */
export async function workThrough<Item>(
  items: AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const queue = items[Symbol.asyncIterator]();
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
