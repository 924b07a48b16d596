import { type EffortRow, effortOf } from "../effort-row.ts";
import { entryModelKey, type LogEntry } from "../log-entry.ts";
import { type ModelKey, modelKey } from "../model.ts";
import { type PlanSize, placeOfRun } from "../run-number.ts";
import type { VerdictRow } from "../verdict.ts";
import { Outcomes } from "./outcomes.ts";
import { ProblemSums } from "./problem-sums.ts";

type SampledEntry = Parameters<Outcomes["addEntry"]>[0] & Pick<LogEntry, "costUsd" | "runtimeSeconds">;

/** What one execution, or several taken together, say of every model: right answers, cost and runtime per problem. */
export class DriftSample {
  readonly outcomes = new Outcomes();
  readonly #costs = new Map<ModelKey, ProblemSums>();
  readonly #runtimes = new Map<ModelKey, ProblemSums>();

  addEntry(entry: SampledEntry): void {
    this.outcomes.addEntry(entry);
    const { runtimeMs, costNanoUsd } = effortOf(entry);
    this.#add(entryModelKey(entry), entry.problemId, runtimeMs, costNanoUsd);
  }

  /** A part of the plan; it says what its entries say. */
  addRow(row: VerdictRow, efforts: EffortRow, size: PlanSize, problemIds: readonly string[]): void {
    this.outcomes.addRow(row, size, problemIds);
    for (const [at, runtimeMs] of efforts.runtimesMs.entries()) {
      const place = runtimeMs === null ? null : placeOfRun(size, row.from + at);
      const id = place === null ? undefined : problemIds[place.problem];
      if (place === null || id === undefined) continue;
      this.#add(modelKey(place.model), id, runtimeMs, efforts.costsNanoUsd[at] ?? null);
    }
  }

  /** In nano-dollars; runs of unknown cost are not part of it. */
  costs(model: ModelKey): ProblemSums {
    return this.#sumsOf(this.#costs, model);
  }

  /** In milliseconds. */
  runtimes(model: ModelKey): ProblemSums {
    return this.#sumsOf(this.#runtimes, model);
  }

  #add(model: ModelKey, problemId: string, runtimeMs: number | null, costNanoUsd: number | null): void {
    const position = this.outcomes.problems.number(problemId);
    if (runtimeMs !== null) this.runtimes(model).add(position, runtimeMs);
    if (costNanoUsd !== null) this.costs(model).add(position, costNanoUsd);
  }

  #sumsOf(models: Map<ModelKey, ProblemSums>, model: ModelKey): ProblemSums {
    const known = models.get(model) ?? new ProblemSums(this.outcomes.problems);
    models.set(model, known);
    return known;
  }
}
