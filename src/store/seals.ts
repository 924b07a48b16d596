import { createHmac } from "node:crypto";
import type { EvaluationId } from "../domain/ids.ts";
import type { SealKey } from "./store.ts";

interface Place {
  readonly evaluationId: EvaluationId;
  readonly round: number;
}

/** Signs what is stored of an entry, and tells what was signed from what was not. */
export class Seals {
  readonly #learnt = new Map<EvaluationId, Map<number, string | null>>();
  readonly #find: (id: EvaluationId) => string | null;

  /** `find` gives the key of all rounds for which no other was learnt. */
  constructor(find: (id: EvaluationId) => string | null = () => null) {
    this.#find = find;
  }

  learn(id: EvaluationId, { round, key }: SealKey): void {
    const rounds = this.#learnt.get(id) ?? new Map<number, string | null>();
    this.#learnt.set(id, rounds.set(round, key ?? rounds.get(round) ?? null));
  }

  /** Whether anything is known by which a foreign entry could be told. */
  guards(id: EvaluationId): boolean {
    return this.#learnt.has(id) || this.#find(id) !== null;
  }

  sign({ evaluationId, round }: Place, stored: readonly unknown[]): string | null {
    const key = this.#learnt.get(evaluationId)?.get(round) ?? this.#find(evaluationId);
    if (key === null) return null;
    return createHmac("sha256", key)
      .update(JSON.stringify([evaluationId, round, ...stored]))
      .digest("base64url");
  }

  isForeign(place: Place, stored: readonly unknown[], seal: unknown): boolean {
    const signed = this.sign(place, stored);
    return signed === null ? this.#isAfterKnown(place) : seal !== signed;
  }

  #isAfterKnown({ evaluationId, round }: Place): boolean {
    const rounds = this.#learnt.get(evaluationId);
    return rounds !== undefined && round > Math.max(...rounds.keys());
  }
}
