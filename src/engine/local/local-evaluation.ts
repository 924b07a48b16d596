import type { Clock } from "../../domain/clock.ts";
import { EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId, RunId } from "../../domain/ids.ts";
import { type ModelKey, modelKey } from "../../domain/model.ts";
import { countRuns, type Plan, planRuns, type Run } from "../../domain/plan.ts";
import { failure } from "../../domain/run/failure.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { NO_USAGE } from "../../domain/run/usage.ts";
import { isDone } from "../../domain/run/verdict.ts";
import { type ModelStats, StatsFold } from "../../domain/stats/stats.ts";
import type { EntryName, Store } from "../../store/store.ts";
import { sha256 } from "../../system/digest.ts";
import { BudgetBrake } from "../budget-brake.ts";
import type { EvaluationOutcome } from "../engine.ts";
import { accountForRuns, workThrough } from "../owed-runs.ts";
import { ProviderBrake } from "../provider-brake.ts";
import { executeRun, type FinishedRun } from "../run/execute-run.ts";
import type { RunSpec } from "../run/run-session.ts";
import { beginOrResume, foreignWarning, type LocalDeps } from "./begin.ts";
import { HOW_TO_GO_ON, leaveOut, leaveOutStopped } from "./leave-out.ts";
import { userCallbacks } from "./user-callbacks.ts";

/** All runs of one evaluation on this machine, from the plan to the stats. */
export async function evaluateLocally(deps: LocalDeps): Promise<EvaluationOutcome> {
  const { store, listener, clock } = deps;
  const { record, plan } = await beginOrResume(deps);
  const models = plan.models.map(modelKey);
  const fold = StatsFold.of(record);
  const tellUser = userCallbacks(deps.definition.options, (message) => listener.warning?.(message));
  const take = (entry: LogEntry) => {
    fold.add(entry);
    listener.entry?.(entry);
    tellUser(entry, () => fold.stats());
  };
  const done = await readDone(deps, record.id);
  listener.started?.({ record, total: countRuns(plan), alreadyDone: done.size, models });
  if (done.size > 0) {
    for await (const entry of store.entries(record.id)) if (done.has(entry.runId)) take(entry);
  }
  deps.isolation.expect(countRuns(plan) - done.size);
  await warnOfUnpriced(deps, record);
  await using watch = watchOthers(store, record, clock);
  const brake = new BudgetBrake(store, record, clock);
  const providers = new ProviderBrake(deps.definition.stopAfterFailures);
  const replaced: EntryName[] = [];
  const onEntry = (entry: LogEntry) => {
    if (entry.wasForged) replaced.push(entry);
    take(entry);
  };
  try {
    await runAll(deps, record, { runs: missing(plan, done), watch, brake, providers, onEntry });
    if (brake.why !== null) await leaveOut(deps, record, missing(plan, done), brake.why, take);
    await leaveOutStopped(deps, record, missing(plan, done), providers.stopped, take);
  } catch (error) {
    await markBroken(deps, record);
    throw error;
  }
  const isStopped =
    deps.signal.aborted || watch.asked.aborted || brake.why !== null || providers.stopped.size > 0;
  const foreign = [...replaced, ...(await takeOutForeign(deps, record, isStopped))];
  if (foreign.length > 0) listener.warning?.(foreignWarning(foreign));
  const status = isStopped && !isWhole(fold.stats()) ? "cancelled" : "finished";
  // Runs that did not get their new chance still have what they left in an earlier round.
  const stats =
    status === "finished" && foreign.length === 0 ? fold.stats() : await foldEntries(store, record);
  const ended: EvaluationRecord = {
    ...record,
    status,
    endedAt: clock.now().toISOString(),
    owner: null,
    stats,
    ...(foreign.length > 0 ? { foreignEntries: (record.foreignEntries ?? 0) + foreign.length } : {}),
  };
  await endEvaluation(store, ended, record);
  return { record: ended, stats };
}

interface RunWork {
  readonly runs: Iterable<Run>;
  readonly watch: EvaluationWatch;
  readonly brake: BudgetBrake;
  readonly providers: ProviderBrake;
  readonly onEntry: (entry: LogEntry) => void;
}

/** Executes runs with bounded concurrency and saves each entry before anybody hears of it. */
async function runAll(
  deps: LocalDeps,
  record: EvaluationRecord,
  { runs, watch: { asked, lost }, brake, providers, onEntry }: RunWork,
): Promise<void> {
  const { store, listener, signal } = deps;
  const broken = new AbortController();
  const cancelled = AbortSignal.any([signal, broken.signal, lost]);
  const spec = { ...specOf(deps, record), cancelled };
  const isOver = () => cancelled.aborted || asked.aborted || brake.why !== null;
  const work = async (run: Run): Promise<void> => {
    const { providerKey } = run.model;
    if (providers.stopped.has(providerKey) || !(await brake.mayStart()) || isOver()) return;
    listener.runStarted?.(run);
    const finished = await executeRun(run, spec);
    await brake.add(finished.entry);
    // The process that has the evaluation now does this run again, and its entry is the one that counts.
    lost.throwIfAborted();
    onEntry(await save(store, finished));
    const { trouble, entry } = finished;
    const why = providers.add(providerKey, { trouble, failure: entry.failure });
    if (why !== null) listener.warning?.(`${why}; no further run of it starts. ${HOW_TO_GO_ON}`);
  };
  await workThrough(unless(isOver, runs), deps.definition.concurrency, (run) =>
    work(run).catch((error: unknown) => {
      broken.abort(failure("cancelled", "the evaluation stopped because of an error"));
      throw error;
    }),
  );
  lost.throwIfAborted();
}

/** The items until it is over. */
export async function* unless<Item>(
  isOver: () => boolean,
  items: AsyncIterable<Item> | Iterable<Item>,
): AsyncGenerator<Item> {
  for await (const item of items) {
    if (isOver()) return;
    yield item;
  }
}

/** Another process that works on the same evaluation may have been first; then its entry counts. */
async function save(store: Store, { entry, body }: FinishedRun): Promise<LogEntry> {
  const saved = await store.saveEntry(entry, body);
  if (saved !== "already-there") return saved === "saved" ? entry : { ...entry, wasForged: true };
  for await (const stored of store.entries(entry.evaluationId, { runIds: [entry.runId] })) return stored;
  return entry;
}

/** A run whose own entry was changed has none left: it is reported as crashed, or has its chance on resume. */
async function takeOutForeign(
  { store, clock }: LocalDeps,
  { id, round }: EvaluationRecord,
  isStopped: boolean,
): Promise<readonly EntryName[]> {
  const foreign = await store.removeForeign(id);
  const runs = [...new Set(foreign.map(({ index }) => index))].sort((a, b) => a - b);
  const accounting = { store, clock, evaluationId: id, round, message: ENTRY_CHANGED };
  if (!isStopped) await accountForRuns(accounting, runs, () => "crashed");
  return foreign;
}

const ENTRY_CHANGED =
  "the log entry of this run was changed by something other than the evaluator, so it does not count; " +
  "run it again with --resume --retry-failed";

export const specOf = (deps: LocalDeps, { id, round, limits }: EvaluationRecord): RunSpec => ({
  ...deps,
  evaluationId: id,
  round,
  limits,
  cancelled: deps.signal,
});

/** A stop that comes after the last run has ended stops nothing. */
const isWhole = (stats: Record<ModelKey, ModelStats>): boolean =>
  Object.values<ModelStats>(stats).every(
    ({ finished, failuresByFault, planned }) => finished - failuresByFault.stopped === planned,
  );

/** A budget in dollars does not hold models whose price nobody knows. */
async function warnOfUnpriced(
  { prices, listener }: LocalDeps,
  { budget, models }: EvaluationRecord,
): Promise<void> {
  if (budget?.usd === undefined) return;
  await Promise.all(models.map((model) => prices.open(model)));
  const unpriced = models.filter((model) => prices.costNanoUsd(model, NO_USAGE) === null).map(modelKey);
  if (unpriced.length === 0) return;
  listener.warning?.(
    `the price of ${unpriced.join(", ")} is unknown and does not count towards the budget; set it in \`prices\``,
  );
}

export async function foldEntries(
  store: Store,
  record: EvaluationRecord,
): Promise<Record<ModelKey, ModelStats>> {
  const fold = StatsFold.of(record);
  for await (const entry of store.entries(record.id)) fold.add(entry);
  return fold.stats();
}

async function readDone({ store, retryFailed }: LocalDeps, id: EvaluationId): Promise<ReadonlySet<RunId>> {
  const done = new Set<RunId>();
  for await (const entry of store.entries(id)) if (isDone(entry, retryFailed)) done.add(entry.runId);
  return done;
}

function* missing(plan: Plan, done: ReadonlySet<RunId>): Generator<Run> {
  for (const run of planRuns(plan, sha256)) if (!done.has(run.runId)) yield run;
}

/** The store may be what broke; the error that the user must see is the first one. */
async function markBroken({ store, listener }: LocalDeps, record: EvaluationRecord): Promise<void> {
  await store
    .updateEvaluation({ ...record, status: "broken", owner: null }, record)
    .catch((error: unknown) => {
      listener.warning?.(
        `the evaluation could not be marked as broken: ${error instanceof Error ? error.message : error}`,
      );
    });
}

/** Stores how an evaluation ended, unless it is another process's by now. */
export async function endEvaluation(
  store: Store,
  ended: EvaluationRecord,
  owned: EvaluationRecord,
): Promise<void> {
  if ((await store.updateEvaluation(ended, owned)) === "changed") throw takenOver(owned.id);
}

const takenOver = (id: EvaluationId): EvaluatorError =>
  new EvaluatorError(
    "evaluation.taken_over",
    `another process has taken over evaluation ${id}; unfinished runs of this process are dropped, finished runs are kept`,
  );

const POLL_MS = 1_000;

interface EvaluationWatch extends AsyncDisposable {
  /** Aborted when somebody, in any process, has asked to cancel this round: no further run starts. */
  readonly asked: AbortSignal;
  /** Aborted when another process has taken the evaluation over: nothing more of it is this one's. */
  readonly lost: AbortSignal;
}

/** Watches what other processes do with an evaluation that this one works on. */
export function watchOthers(
  store: Pick<Store, "isCancelRequested" | "findEvaluation">,
  { id, round, owner }: Pick<EvaluationRecord, "id" | "round" | "owner">,
  clock: Clock,
): EvaluationWatch {
  const asked = new AbortController();
  const lost = new AbortController();
  const ended = new AbortController();
  const isOver = () => ended.signal.aborted || lost.signal.aborted;
  const look = async (): Promise<void> => {
    if (await store.isCancelRequested(id, round)) asked.abort();
    if ((await store.findEvaluation(id))?.owner !== owner) lost.abort(takenOver(id));
  };
  const watch = async (): Promise<void> => {
    while (!isOver()) {
      // A store that cannot be read is noticed when the next entry is saved.
      await look().catch(() => {});
      if (!isOver()) await clock.sleep(POLL_MS, ended.signal).catch(() => {});
    }
  };
  const watching = watch();
  return {
    asked: asked.signal,
    lost: lost.signal,
    async [Symbol.asyncDispose]() {
      ended.abort();
      await watching;
    },
  };
}
