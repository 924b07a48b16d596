import { entryModelKey, type LogEntry } from "../log-entry.ts";
import type { ModelKey } from "../model.ts";
import { toNanoUsd } from "../price.ts";
import { Outcomes } from "./outcomes.ts";

type SampledEntry = Parameters<Outcomes["addEntry"]>[0] & Pick<LogEntry, "costUsd" | "runtimeSeconds">;

interface Sum {
  readonly sum: number;
  readonly count: number;
}

/** Whole numbers added up, and how many there were, problem by problem. */
export type ProblemSums = ReadonlyMap<string, Sum>;

/** What one execution, or several taken together, say of every model: right answers, cost and runtime per problem. */
export class DriftSample {
  readonly outcomes = new Outcomes();
  readonly #costs: ModelSums = new Map();
  readonly #runtimes: ModelSums = new Map();

  /** A run that its model is not to blame for says nothing of what the model costs. */
  addEntry(entry: SampledEntry): void {
    this.outcomes.addEntry(entry);
    if (entry.failure !== null && entry.failure.fault !== "model") return;
    const key = entryModelKey(entry);
    addTo(this.#runtimes, key, entry.problemId, Math.round(entry.runtimeSeconds * 1_000));
    if (entry.costUsd !== null) addTo(this.#costs, key, entry.problemId, toNanoUsd(entry.costUsd));
  }

  /** In nano-dollars; runs of unknown cost are not part of it. */
  costs(model: ModelKey): ProblemSums {
    return this.#costs.get(model) ?? new Map();
  }

  /** In milliseconds. */
  runtimes(model: ModelKey): ProblemSums {
    return this.#runtimes.get(model) ?? new Map();
  }
}

type ModelSums = Map<ModelKey, Map<string, Sum>>;

function addTo(models: ModelSums, model: ModelKey, problem: string, value: number): void {
  const problems = models.get(model) ?? new Map<string, Sum>();
  const { sum, count } = problems.get(problem) ?? { sum: 0, count: 0 };
  problems.set(problem, { sum: sum + value, count: count + 1 });
  models.set(model, problems);
}
