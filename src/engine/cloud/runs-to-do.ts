import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { countCheckable } from "../../domain/is-checkable.ts";
import { countDone, isDone } from "../../domain/is-done.ts";
import { isChecking, isUnchecked } from "../../domain/recheck.ts";
import type { RunSpan } from "../../domain/run-number.ts";
import type { Store } from "../../store/contract.ts";

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

/** How many runs of a row another round would work on. */
export const countToDo = (verdicts: string, isCheck = false): number =>
  isCheck ? countCheckable(verdicts) : verdicts.length - countDone(verdicts, true);
