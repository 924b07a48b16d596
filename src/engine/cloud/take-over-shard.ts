import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { Store } from "../../store/contract.ts";
import { takeOver } from "../take-over.ts";
import type { ShardEvent } from "./events.ts";
import { storedRecord } from "./stored-record.ts";

/** What one step can copy in well under the time of an invocation, however large its bodies are. */
const RUNS_PER_STEP = 100;

interface Found {
  readonly plan: Pick<EvaluationRecord, "grownFrom">;
  readonly toDo: readonly number[];
}

/** Answers with the runs that are left to do once those that ended in an earlier, smaller evaluation are here. */
export async function takeOverShard(
  parts: { readonly store: Pick<Store, "findEvaluation" | "entries" | "readBody" | "saveEntry"> },
  event: ShardEvent,
  { plan: { grownFrom }, toDo }: Found,
  context: DurableContext,
): Promise<readonly number[]> {
  if (grownFrom === null) return toDo;
  const left: number[] = [];
  for (let first = 0; first < toDo.length; first += RUNS_PER_STEP) {
    const some = toDo.slice(first, first + RUNS_PER_STEP);
    const taken = await context.step(`take-over-${first / RUNS_PER_STEP}`, () =>
      takeSome(parts, event, some),
    );
    left.push(...some.filter((run) => !taken.includes(run)));
  }
  return left;
}

async function takeSome(
  { store }: Parameters<typeof takeOverShard>[0],
  { evaluationId, round }: ShardEvent,
  runs: readonly number[],
): Promise<number[]> {
  const to = await storedRecord(store, evaluationId);
  const from = to.grownFrom === null ? null : await store.findEvaluation(to.grownFrom);
  const [first, last] = [runs[0], runs.at(-1)];
  if (from === null || first === undefined || last === undefined) return [];
  const wanted = new Set(runs);
  const span = { from: first, to: last + 1 };
  return [
    ...(await takeOver({ store, from, to: { ...to, round }, span, isWanted: (run) => wanted.has(run) })),
  ];
}
