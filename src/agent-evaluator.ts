import type { EvaluationRecord } from "./domain/evaluation.ts";
import { EvaluatorError } from "./domain/evaluator-error.ts";
import type { LogEntry } from "./domain/log-entry.ts";
import type { ModelKey, ModelPair } from "./domain/model.ts";
import type { ModelStats } from "./domain/model-stats.ts";
import type { RunBody } from "./domain/run-body.ts";
import type { EvaluationReport } from "./domain/statistics/evaluation-report.ts";
import type { EvaluationOptions } from "./engine/definition.ts";
import { countCall, reenter } from "./isolation/reentry.ts";

export interface EvaluationResult {
  readonly stats: Record<ModelKey, ModelStats>;
  /** In plan order. */
  readonly logs: LogEntry[];
  readonly evaluation: EvaluationRecord;
  /** What the stats allow to say: intervals, pass@k, flaky problems, slices, and any two models compared. */
  readonly report: EvaluationReport;
}

export interface RunOneOptions {
  readonly model?: ModelPair;
  /** An item of `problems`, or its id; by default a random one. */
  readonly problem?: unknown;
  readonly seed?: number;
}

/** Runs an agent over models and problems, each run isolated, and adds up what they did. */
export class AgentEvaluator {
  readonly #options: EvaluationOptions;
  readonly #finished: import("./evaluate-script.ts").Finished = {};

  constructor(options: EvaluationOptions) {
    this.#options = options;
  }

  async evaluate(): Promise<EvaluationResult> {
    const call = countCall();
    const elsewhere = reenter<EvaluationResult>(call, this.#options);
    if (elsewhere !== null) return elsewhere;
    // Imported here, so that a run's process, which holds this class too, never loads the engine.
    const { evaluateScript } = await import("./evaluate-script.ts");
    return evaluateScript(this.#options, call, this.#finished);
  }

  /** One pair in this process, for debugging; nothing is stored. */
  async runOne(choice: RunOneOptions = {}): Promise<LogEntry> {
    const call = countCall();
    const elsewhere = reenter<LogEntry>(call, this.#options);
    if (elsewhere !== null) return elsewhere;
    const { runOne } = await import("./run-one.ts");
    return runOne(this.#options, choice, call);
  }

  /** The transcript, the whole output and the whole result of a run that this evaluator made. */
  async loadBody(entry: Pick<LogEntry, "evaluationId" | "runId" | "round">): Promise<RunBody> {
    const { loadBody } = await import("./evaluate-script.ts");
    const body = await loadBody(this.#options, this.#finished, entry);
    if (body !== null) return body;
    throw new EvaluatorError(
      "body.missing",
      `run ${entry.runId} of ${entry.evaluationId} has no body in the store`,
    );
  }
}
