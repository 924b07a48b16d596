import type { EvaluationId } from "../../domain/ids.ts";
import { countDone, isDone } from "../../domain/is-done.ts";
import type { RunSpan } from "../../domain/run-number.ts";
import type { Store } from "../../store/contract.ts";

/** The runs of a span that a round still owes: those without an entry of it that failed before, or never ended. */
export async function runsToDo(
  store: Pick<Store, "entries">,
  evaluationId: EvaluationId,
  round: number,
  { from, to }: RunSpan,
): Promise<number[]> {
  const done = new Set<number>();
  for await (const entry of store.entries(evaluationId, { fromIndex: from, toIndex: to })) {
    if (entry.round >= round || isDone(entry, true)) done.add(entry.index);
  }
  return Array.from({ length: to - from }, (_, place) => from + place).filter((run) => !done.has(run));
}

/** How many runs of a row another round would do again. */
export const countToDo = (verdicts: string): number => verdicts.length - countDone(verdicts, true);
