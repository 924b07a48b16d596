import type { EvaluationId } from "../../domain/ids.ts";
import type { LogEntry } from "../../domain/log-entry.ts";
import type { RunSpan } from "../../domain/run-number.ts";
import { VERDICT } from "../../domain/verdict.ts";
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
    if (isDone(entry, round)) done.add(entry.index);
  }
  return Array.from({ length: to - from }, (_, place) => from + place).filter((run) => !done.has(run));
}

const isDone = (entry: LogEntry, round: number): boolean => entry.round >= round || entry.failure === null;

const ANSWERS: readonly string[] = [VERDICT.correct, VERDICT.wrong, VERDICT.unscored];

/** How many runs of a row another round would do again. */
export const countToDo = (verdicts: string): number =>
  [...verdicts].filter((verdict) => !ANSWERS.includes(verdict)).length;
