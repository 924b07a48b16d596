import { countCall, reenter } from "./child/reentry.ts";
import { EvaluatorError } from "./domain/errors.ts";
import type { EvaluationRecord } from "./domain/evaluation.ts";
import type { ModelKey, ModelPair } from "./domain/model.ts";
import type { ExpectedOf, ProblemOf } from "./domain/problem.ts";
import type { LogEntry, RunBody } from "./domain/run/log-entry.ts";
import type { ModelStats } from "./domain/stats/stats.ts";
import type { EntryOf, ProblemItem, WrittenOptions } from "./engine/definition/definition.ts";
import type { EvaluationReport } from "./statistics/report.ts";

export interface EvaluationResult<Entry = LogEntry> {
  readonly stats: Record<ModelKey, ModelStats>;
  /** In plan order. */
  readonly logs: Entry[];
  readonly evaluation: EvaluationRecord;
  /** What the stats allow to say: intervals, pass@k, flaky problems, slices, and any two models compared. */
  readonly report: EvaluationReport;
}

export interface RunOneOptions {
  readonly model?: ModelPair;
  /** The name of a variant; by default the first one. */
  readonly variant?: string;
  /** An item of `problems`, or its id; by default a random one. */
  readonly problem?: unknown;
  readonly seed?: number;
}

/** The problems come from the definition and the results from its agent, so that what is stored has their types. */
type EntryFor<Item, Result> = unknown extends Item
  ? LogEntry
  : EntryOf<ProblemOf<Item>, ExpectedOf<Item>, Result>;

/** Runs an agent over models and problems, each run isolated, and adds up what they did. */
export class AgentEvaluator<Item extends ProblemItem = unknown, Result = unknown, Variant = undefined> {
  readonly #options: WrittenOptions<Item, Result, Variant>;
  readonly #finished: import("./local/evaluate-script.ts").StoreKeeper = {};

  constructor(options: WrittenOptions<Item, Result, Variant>) {
    this.#options = options;
  }

  async evaluate(): Promise<EvaluationResult<EntryFor<Item, Result>>> {
    const call = countCall();
    const elsewhere = reenter<EvaluationResult<EntryFor<Item, Result>>>(call, this.#options);
    if (elsewhere !== null) return elsewhere;
    // Imported here, so that a run's process, which holds this class too, never loads the engine.
    const { evaluateScript } = await import("./local/evaluate-script.ts");
    const result = await evaluateScript(this.#options, call, this.#finished);
    return { ...result, logs: result.logs as EntryFor<Item, Result>[] };
  }

  /** One pair in this process, for debugging; nothing is stored. */
  async runOne(choice: RunOneOptions = {}): Promise<EntryFor<Item, Result>> {
    const call = countCall();
    const elsewhere = reenter<EntryFor<Item, Result>>(call, this.#options);
    if (elsewhere !== null) return elsewhere;
    const { runOne } = await import("./local/run-one.ts");
    return (await runOne(this.#options, choice, call)) as EntryFor<Item, Result>;
  }

  /** The transcript, the whole output and the whole result of a run that this evaluator made. */
  async loadBody(entry: Pick<LogEntry, "evaluationId" | "runId" | "round">): Promise<RunBody> {
    const { loadBody } = await import("./local/evaluate-script.ts");
    const body = await loadBody(this.#options, this.#finished, entry);
    if (body !== null) return body;
    throw new EvaluatorError(
      "body.missing",
      `run ${entry.runId} of ${entry.evaluationId} has no body in the store`,
    );
  }
}
