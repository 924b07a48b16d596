import type { Failure } from "../domain/run/failure.ts";
import type { ProviderTrouble } from "../providers/provider.ts";

/** Stops a provider of which so many runs failed for the same hopeless reason, and none got an answer. */
export class ProviderBrake {
  readonly #most: number | false;
  readonly #failures = new Map<string, number>();
  readonly #answered = new Set<string>();
  readonly #stopped = new Map<string, string>();

  constructor(most: number | false) {
    this.#most = most;
  }

  /** Reasons by provider, for those of which no further run starts. */
  get stopped(): ReadonlyMap<string, string> {
    return this.#stopped;
  }

  /** Counts a run, and returns what to say when it is the one that stops its provider. */
  add(providerKey: string, { trouble, failure }: BrakedRun): string | null {
    if (failure === null || failure.fault === "model") this.#answered.add(providerKey);
    if (
      trouble === null ||
      this.#most === false ||
      this.#answered.has(providerKey) ||
      this.#stopped.has(providerKey)
    )
      return null;
    const kind = `${providerKey} ${trouble}`;
    const count = (this.#failures.get(kind) ?? 0) + 1;
    this.#failures.set(kind, count);
    if (count < this.#most) return null;
    const why = `${count} runs of ${providerKey} failed alike and none got an answer (${failure?.message})`;
    this.#stopped.set(providerKey, why);
    return why;
  }
}

interface BrakedRun {
  /** Why its provider will answer no other call; null when it answered, or the run failed for another reason. */
  readonly trouble: ProviderTrouble | null;
  readonly failure: Failure | null;
}
