import type { EvaluationId } from "../../domain/ids.ts";
import type { Store } from "../../store/contract.ts";

interface Sealed {
  readonly evaluationId: EvaluationId;
  readonly round: number;
  readonly seal?: string | undefined;
}

/** The key of a round lives in the events of its execution alone: it is in no store, and no agent's process gets it. */
export const learnSeal = (store: Pick<Store, "learnSeal">, { evaluationId, round, seal }: Sealed): void =>
  store.learnSeal(evaluationId, { round, key: seal ?? null });
