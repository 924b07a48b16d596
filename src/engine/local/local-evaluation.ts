import type { Clock } from "../../domain/clock.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId, RunId } from "../../domain/ids.ts";
import { type Model, type ModelKey, modelKey } from "../../domain/model.ts";
import { countRuns, type Plan, planRuns, type Run } from "../../domain/plan.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { NO_USAGE, type PriceList } from "../../domain/run/usage.ts";
import { isDone } from "../../domain/run/verdict.ts";
import { type ModelStats, StatsFold } from "../../domain/stats/stats.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { RunTokens } from "../../gateway/http/run.ts";
import type { Isolation } from "../../isolation/isolation.ts";
import type { EntryName, Store } from "../../store/store.ts";
import { sha256 } from "../../system/digest.ts";
import { accountForRuns } from "../account-for-runs.ts";
import { BudgetBrake } from "../budget-brake.ts";
import type { Definition } from "../definition/read-definition.ts";
import { ENTRY_CHANGED, foreignWarning } from "../foreign-entries.ts";
import type { Redaction } from "../run/redaction.ts";
import type { RunSpec } from "../run/run-spec.ts";
import { beginEvaluation, resumeEvaluation } from "./begin.ts";
import { runAll } from "./run-all.ts";
import { userCallbacks } from "./user-callbacks.ts";

export interface EvaluationListener {
  started?(info: StartInfo): void;
  runStarted?(run: Run): void;
  /** Every entry as it is saved; on resume first those that are there already. */
  entry?(entry: LogEntry): void;
  warning?(message: string): void;
  /** How many calls at a time a provider takes from now on; null is as many as there are. */
  limited?(providerKey: string, calls: number | null): void;
}

export interface StartInfo {
  readonly record: EvaluationRecord;
  readonly total: number;
  readonly alreadyDone: number;
  readonly models: readonly ModelKey[];
}

export interface EvaluationOutcome {
  readonly record: EvaluationRecord;
  readonly stats: Record<ModelKey, ModelStats>;
}

export interface LocalEvaluation {
  readonly definition: Definition;
  readonly resume: EvaluationId | null;
  /** With `resume`: runs that failed get another chance too, in a new round. */
  readonly retryFailed?: boolean | undefined;
  /** With `resume`: what the definition has beyond the stored plan is run too. */
  readonly grow?: boolean | undefined;
  /** With `grow`: nothing more to run is refused instead of resumed. */
  readonly mustGrow?: boolean | undefined;
  /** The id of a new evaluation; without one it is made up. */
  readonly id?: EvaluationId | undefined;
  readonly file: string | null;
  readonly fingerprint: string | null;
  readonly store: Store;
  readonly isolation: Isolation;
  readonly gateway: Gateway;
  readonly tokens?: RunTokens | undefined;
  readonly redaction: Redaction;
  readonly prices: PriceList;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** `host:pid` of this process, and whether another one still works. */
  readonly owner: string;
  readonly isAlive: (owner: string) => boolean;
  readonly listener: EvaluationListener;
}

/** All runs of one evaluation on this machine, from the plan to the stats. */
export async function evaluateLocally(input: LocalEvaluation): Promise<EvaluationOutcome> {
  const { store, listener, clock } = input;
  const { record, plan } =
    input.resume === null ? await beginEvaluation(input) : await resumeEvaluation(input, input.resume);
  const models = plan.models.map(modelKey);
  const fold = new StatsFold(models, plan.problems.length * plan.trials);
  const tellUser = userCallbacks(input.definition.options, (message) => listener.warning?.(message));
  const take = (entry: LogEntry) => {
    fold.add(entry);
    listener.entry?.(entry);
    tellUser(entry, () => fold.stats());
  };
  const replaced: EntryName[] = [];
  const announce = (alreadyDone: number) =>
    listener.started?.({ record, total: countRuns(plan), alreadyDone, models });
  const done = await readDone(input, record.id, take, announce);
  input.isolation.expect(countRuns(plan) - done.size);
  const brake = new BudgetBrake(store, record, clock);
  await warnOfUnpriced(input, record);
  await using asked = watchForCancel(store, record, clock);
  try {
    await runAll({
      runs: missing(plan, done),
      concurrency: input.definition.concurrency,
      enough: asked.signal,
      brake,
      store,
      spec: specOf(input, record),
      onRunStarted: (run) => listener.runStarted?.(run),
      onEntry: (entry) => {
        if (entry.wasForged) replaced.push(entry);
        take(entry);
      },
    });
    if (brake.why !== null) await leaveOut(input, record, missing(plan, done), brake.why, take);
  } catch (error) {
    await tryToMark(store, { ...record, status: "broken", owner: null }, listener);
    throw error;
  }
  const isStopped = input.signal.aborted || asked.signal.aborted || brake.why !== null;
  const foreign = [...replaced, ...(await takeOutForeign(input, record, isStopped))];
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
  await store.updateEvaluation(ended);
  return { record: ended, stats };
}

/** A run whose own entry was changed has none left: it is told of, or has its chance on resume. */
async function takeOutForeign(
  { store, clock }: LocalEvaluation,
  { id, round }: EvaluationRecord,
  isStopped: boolean,
): Promise<readonly EntryName[]> {
  const foreign = await store.removeForeign(id);
  const runs = [...new Set(foreign.map(({ index }) => index))].sort((a, b) => a - b);
  const accounting = { store, clock, evaluationId: id, round, message: ENTRY_CHANGED };
  if (!isStopped) await accountForRuns(accounting, runs, () => "crashed");
  return foreign;
}

export const specOf = (input: LocalEvaluation, record: EvaluationRecord): RunSpec => ({
  evaluationId: record.id,
  round: record.round,
  limits: record.limits,
  isolation: input.isolation,
  gateway: input.gateway,
  tokens: input.tokens,
  redaction: input.redaction,
  prices: input.prices,
  clock: input.clock,
  cancelled: input.signal,
  hasOwnProviders: input.definition.providerFactory !== undefined,
});

/** A stop that comes after the last run has ended stops nothing. */
const isWhole = (stats: Record<ModelKey, ModelStats>): boolean =>
  Object.values<ModelStats>(stats).every(
    ({ finished, failuresByFault, planned }) => finished - failuresByFault.stopped === planned,
  );

/** A budget in dollars does not hold models whose price nobody knows. */
async function warnOfUnpriced(
  { prices, listener }: LocalEvaluation,
  { budget, models }: EvaluationRecord,
): Promise<void> {
  if (budget?.usd === undefined) return;
  const unpriced = await unpricedModels(prices, models);
  if (unpriced.length === 0) return;
  listener.warning?.(
    `the price of ${unpriced.join(", ")} is unknown and does not count for the budget; give it in \`prices\``,
  );
}

/** Runs that the budget kept from starting are told of in one piece, and have their chance on resume. */
async function leaveOut(
  { store, clock, listener }: LocalEvaluation,
  { id, round }: EvaluationRecord,
  runs: Iterable<Run>,
  why: string,
  onEntry: (entry: LogEntry) => void,
): Promise<void> {
  listener.warning?.(`${why}; no further run starts, and --resume with a larger budget goes on`);
  const indexes = Array.from(runs, ({ index }) => index);
  await accountForRuns({ store, clock, evaluationId: id, round }, indexes, () => "budget");
  for await (const entry of store.entries(id, { cause: "budget" })) if (entry.round === round) onEntry(entry);
}

export async function foldEntries(
  store: Store,
  record: EvaluationRecord,
): Promise<Record<ModelKey, ModelStats>> {
  const fold = new StatsFold(record.models.map(modelKey), record.problemCount * record.trials);
  for await (const entry of store.entries(record.id)) fold.add(entry);
  return fold.stats();
}

async function readDone(
  { store, retryFailed }: LocalEvaluation,
  id: EvaluationId,
  onEntry: (entry: LogEntry) => void,
  onCounted: (count: number) => void,
): Promise<ReadonlySet<RunId>> {
  const done = new Set<RunId>();
  for await (const entry of store.entries(id)) if (isDone(entry, retryFailed)) done.add(entry.runId);
  onCounted(done.size);
  if (done.size === 0) return done;
  for await (const entry of store.entries(id)) if (done.has(entry.runId)) onEntry(entry);
  return done;
}

function* missing(plan: Plan, done: ReadonlySet<RunId>): Generator<Run> {
  for (const run of planRuns(plan, sha256)) if (!done.has(run.runId)) yield run;
}

/** The store may be what broke; the error that the user must see is the first one. */
async function tryToMark(
  store: Store,
  record: EvaluationRecord,
  listener: EvaluationListener,
): Promise<void> {
  await store.updateEvaluation(record).catch((error: unknown) => {
    listener.warning?.(
      `the evaluation could not be marked as broken: ${error instanceof Error ? error.message : error}`,
    );
  });
}

const POLL_MS = 1_000;

interface CancelWatch extends AsyncDisposable {
  /** Aborted when somebody, in whatever process, has asked to cancel this round. */
  readonly signal: AbortSignal;
}

export function watchForCancel(
  store: Pick<Store, "isCancelRequested">,
  { id, round }: Pick<EvaluationRecord, "id" | "round">,
  clock: Clock,
): CancelWatch {
  const asked = new AbortController();
  const ended = new AbortController();
  const isOver = () => ended.signal.aborted || asked.signal.aborted;
  const watch = async (): Promise<void> => {
    while (!isOver()) {
      // A store that cannot be read is found out by whoever saves the next entry.
      if (await store.isCancelRequested(id, round).catch(() => false)) asked.abort();
      if (!isOver()) await clock.sleep(POLL_MS, ended.signal).catch(() => {});
    }
  };
  const watching = watch();
  return {
    signal: asked.signal,
    async [Symbol.asyncDispose]() {
      ended.abort();
      await watching;
    },
  };
}

/** Models of which nobody knows what a call costs. */
async function unpricedModels(prices: PriceList, models: readonly Model[]): Promise<ModelKey[]> {
  await Promise.all(models.map((model) => prices.open(model)));
  return models.filter((model) => prices.costNanoUsd(model, NO_USAGE) === null).map(modelKey);
}
