import { NO_SPEND } from "../domain/budget.ts";
import type { EvaluationId } from "../domain/ids.ts";
import type { Store } from "../store/contract.ts";

/** A budget holds for all that was paid for what an evaluation has, also before it grew; told once, when it begins. */
export async function countSpendBefore(
  store: Pick<Store, "addSpend">,
  from: EvaluationId,
  to: EvaluationId,
): Promise<void> {
  await store.addSpend(to, await store.addSpend(from, NO_SPEND));
}
