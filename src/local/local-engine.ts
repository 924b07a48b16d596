import { relative } from "node:path";
import { Fresh } from "../api/stats-reader.ts";
import { EvaluatorError } from "../domain/errors.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { EvaluationId } from "../domain/ids.ts";
import { isChecking } from "../domain/run/verdict.ts";
import { StatsFold } from "../domain/stats/stats.ts";
import type { EvaluationOptions } from "../engine/definition/definition.ts";
import {
  grownChoice,
  grownOptions,
  plannedRows,
  requestedOptions,
  summarizeDefinition,
} from "../engine/definition/requests.ts";
import type { DefinitionSummary, Engine, GrowRequest, RetryRequest, StartRequest } from "../engine/engine.ts";
import { storedRecord } from "../engine/record.ts";
import type { Store } from "../store/store.ts";
import { loadDefinitionApart } from "./definition-apart.ts";
import type { LoadedDefinition } from "./load-definition.ts";
import { isInterrupted } from "./owner.ts";
import { type EvaluationSetup, recheckEvaluation, runEvaluation } from "./run-evaluation.ts";

/** Each of them brings its own concurrency; more at a time would only slow each other down. */
const MOST_RUNNING = 4;

interface LocalEngineOptions {
  readonly store: Store;
  /** Absolute paths of the evaluation files there are now. */
  readonly findFiles: () => Promise<readonly string[]>;
  readonly cwd: string;
  readonly nowMs: () => number;
  readonly now: () => Date;
  /** Hears of a file that cannot be read, which takes nothing from the others. */
  readonly onUnreadable: (file: string, error: unknown) => void;
  readonly onWarning: (message: string) => void;
  /** Hears of an evaluation that broke after it had started. */
  readonly onBroken: (error: unknown) => void;
}

interface ListedDefinition {
  readonly summary: DefinitionSummary;
  readonly path: string;
  /** As it is recorded: relative to the current folder. */
  readonly file: string;
}

interface Job {
  readonly ended: Promise<void>;
  fold: StatsFold | null;
}

type Setup = Omit<EvaluationSetup, "store" | "signal" | "listener">;
type Execute = (setup: EvaluationSetup) => Promise<unknown>;

/** Runs evaluations in this process, side by side. */
export class LocalEngine implements Engine {
  readonly #options: LocalEngineOptions;
  readonly #listed: Fresh<readonly ListedDefinition[]>;
  readonly #stop = new AbortController();
  readonly #jobs = new Map<EvaluationId | symbol, Job>();

  constructor(options: LocalEngineOptions) {
    this.#options = options;
    this.#listed = new Fresh(options.nowMs);
  }

  /** How many evaluations are under way. */
  get running(): number {
    return this.#jobs.size;
  }

  async definitions() {
    return (await this.#list()).map(({ summary }) => summary);
  }

  async start(request: StartRequest, { id }: { readonly id?: EvaluationId } = {}): Promise<EvaluationRecord> {
    const existing = id === undefined ? null : await this.#options.store.findEvaluation(id);
    if (existing !== null) return existing;
    const found = await this.#load(request.evaluation);
    const { problemIds } = request;
    return this.#launch(id ?? Symbol(request.evaluation), {
      ...found,
      options: requestedOptions(found.options, request),
      id,
      ...(problemIds && { choice: { problemIds } }),
    });
  }

  async cancel(id: EvaluationId): Promise<EvaluationRecord> {
    const { store, now } = this.#options;
    const record = await storedRecord(this.#options.store, id);
    if (record.status !== "running") {
      throw new EvaluatorError(
        "evaluation.not_running",
        `evaluation ${id} is ${record.status}; there is nothing to stop`,
      );
    }
    if (!isInterrupted(record)) {
      await store.requestCancel(id, record.round);
      return record;
    }
    // Its process is gone, so that nobody would hear of a request.
    const ended = { ...record, status: "cancelled" as const, endedAt: now().toISOString(), owner: null };
    // Somebody may have gone on with it meanwhile.
    return (await store.updateEvaluation(ended, record)) === "updated" ? ended : this.cancel(id);
  }

  async retry(id: EvaluationId, { budget }: RetryRequest = {}): Promise<EvaluationRecord> {
    const record = await this.#findStopped(id);
    const found = await this.#load(record.name, record.against);
    const kept = budget ?? record.budget;
    const options = { ...planOf(record, found.options), ...(kept && { budget: kept }) };
    return this.#launch(id, { ...found, options, resume: id, retryFailed: true });
  }

  async grow(
    id: EvaluationId,
    request: GrowRequest,
    { id: newId }: { readonly id?: EvaluationId } = {},
  ): Promise<EvaluationRecord> {
    const existing = newId === undefined ? null : await this.#options.store.findEvaluation(newId);
    if (existing !== null) return existing;
    const record = await this.#findStopped(id);
    const found = await this.#load(record.name, record.against);
    const { retryFailed } = request;
    return this.#launch(newId ?? Symbol(record.name), {
      ...found,
      ...{ id: newId, resume: id, grow: true, mustGrow: true, retryFailed },
      options: grownOptions(found.options, record, request),
      choice: grownChoice(request),
    });
  }

  async check(id: EvaluationId): Promise<EvaluationRecord> {
    const record = await this.#findStopped(id);
    const found = await this.#load(record.name, record.against);
    const setup = { ...found, options: planOf(record, found.options) };
    return this.#launch(id, setup, (whole) => recheckEvaluation(whole, id));
  }

  liveStats(id: EvaluationId) {
    return this.#jobs.get(id)?.fold?.stats() ?? null;
  }

  isLost(record: EvaluationRecord): boolean {
    return !this.#jobs.has(record.id) && isInterrupted(record);
  }

  /** Ends all evaluations; finished runs are kept. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#jobs.values()].map(({ ended }) => ended));
  }

  #list(): Promise<readonly ListedDefinition[]> {
    return this.#listed.get("all", async () => {
      const listed = new Map<string, ListedDefinition>();
      for (const path of await this.#options.findFiles()) {
        const file = relative(this.#options.cwd, path);
        try {
          const summary = summarizeDefinition((await loadDefinitionApart(path)).options);
          const other = listed.get(summary.name);
          if (other !== undefined) throw twice(summary.name, other.file);
          listed.set(summary.name, { summary, path, file });
        } catch (error) {
          this.#options.onUnreadable(file, error);
        }
      }
      return [...listed.values()];
    });
  }

  /** Loaded anew, so that an evaluation starts with what is in the file. */
  async #load(
    name: string,
    against?: EvaluationRecord["against"],
  ): Promise<LoadedDefinition & Pick<ListedDefinition, "file">> {
    const listed = await this.#list();
    const found = listed.find(({ summary }) => summary.name === name);
    if (found !== undefined)
      return { ...(await loadDefinitionApart(found.path, { against })), file: found.file };
    const names = listed.map(({ summary }) => summary.name).join(", ");
    throw new EvaluatorError(
      "definition.unknown",
      `no evaluation file defines "${name}"; the defined ones are: ${names || "none"}`,
    );
  }

  /** The evaluation, unless this or another process works on it. */
  async #findStopped(id: EvaluationId): Promise<EvaluationRecord> {
    const record = await storedRecord(this.#options.store, id);
    const isUnderWay = this.#jobs.has(id) || (record.status === "running" && !isInterrupted(record));
    if (!isUnderWay) return record;
    throw new EvaluatorError(
      "evaluation.running",
      `evaluation ${id} is still running; cancel it or let it end, or run --resume ${id} --take-over if its process is gone`,
    );
  }

  /** Settles when the evaluation has begun; what it does then goes on without the caller. */
  async #launch(
    key: EvaluationId | symbol,
    setup: Setup,
    execute: Execute = runEvaluation,
  ): Promise<EvaluationRecord> {
    if (this.#jobs.has(key))
      throw new EvaluatorError("evaluation.running", "this evaluation is about to start");
    if (this.#jobs.size >= MOST_RUNNING) {
      throw new EvaluatorError(
        "evaluation.too_many",
        `${MOST_RUNNING} evaluations are already running; try again when one has ended`,
      );
    }
    const begun = Promise.withResolvers<EvaluationRecord>();
    const work = this.#run(key, setup, execute, begun.resolve);
    work.catch(begun.reject);
    const record = await begun.promise;
    work.catch(this.#options.onBroken);
    return record;
  }

  #run(
    key: EvaluationId | symbol,
    setup: Setup,
    execute: Execute,
    onBegun: (record: EvaluationRecord) => void,
  ): Promise<unknown> {
    const { store, onWarning } = this.#options;
    let known = key;
    const ended = Promise.withResolvers<void>();
    const job: Job = { ended: ended.promise, fold: null };
    this.#jobs.set(key, job);
    const work = execute({
      ...setup,
      store,
      signal: this.#stop.signal,
      listener: {
        started: ({ record }) => {
          // Results that are checked again add up in the store, with those that are not.
          if (!isChecking(record)) job.fold = StatsFold.of(record);
          this.#jobs.delete(known);
          known = record.id;
          this.#jobs.set(known, job);
          onBegun(record);
        },
        entry: (entry) => job.fold?.add(entry),
        warning: onWarning,
      },
    });
    return work.finally(() => {
      this.#jobs.delete(known);
      ended.resolve();
    });
  }
}

/** The stored evaluation says what is run; the file of today says how. */
const planOf = (record: EvaluationRecord, options: EvaluationOptions): EvaluationOptions => ({
  ...options,
  ...plannedRows(options, record.models),
  trials: record.trials,
  limits: record.limits,
  ...(record.concurrency === null ? {} : { concurrency: record.concurrency }),
});

const twice = (name: string, other: string): EvaluatorError =>
  new EvaluatorError(
    "definition.twice",
    `the name "${name}" is taken by ${other}; give this one another name`,
  );
