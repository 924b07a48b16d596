import type { Clock } from "../domain/clock.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import { type EvaluationId, makeEvaluationId, type RunId } from "../domain/ids.ts";
import type { LogEntry } from "../domain/log-entry.ts";
import { type ModelKey, modelKey } from "../domain/model.ts";
import type { ModelStats } from "../domain/model-stats.ts";
import { countRuns, type Plan, planRuns, type Run } from "../domain/plan.ts";
import type { PriceList } from "../domain/price.ts";
import type { Problem } from "../domain/problem.ts";
import { StatsFold } from "../domain/stats.ts";
import type { Isolation } from "../isolation/contract.ts";
import type { Gateway } from "../providers/gateway.ts";
import type { RunTokens } from "../providers/http-gateway-run.ts";
import type { Store } from "../store/contract.ts";
import { sha256 } from "./digest.ts";
import type { Definition } from "./read-definition.ts";
import type { Redaction } from "./redaction.ts";
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
  readonly select: { readonly limit?: number; readonly problemIds?: readonly string[] };
  readonly resume: EvaluationId | null;
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
  const { record, plan } = input.resume === null ? await begin(input) : await goOn(input, input.resume);
  const models = plan.models.map(modelKey);
  const fold = new StatsFold(models, plan.problems.length * plan.trials);
  const tellUser = userCallbacks(input.definition.options, (message) => listener.warning?.(message));
  const take = (entry: LogEntry) => {
    fold.add(entry);
    listener.entry?.(entry);
    tellUser(entry, () => fold.stats());
  };
  const announce = (alreadyDone: number) =>
    listener.started?.({ record, total: countRuns(plan), alreadyDone, models });
  const done = await readDone(store, record.id, take, announce);
  input.isolation.expect(countRuns(plan) - done.size);
  try {
    await runAll({
      runs: missing(plan, done),
      concurrency: input.definition.concurrency,
      store,
      spec: {
        evaluationId: record.id,
        round: record.round,
        limits: record.limits,
        isolation: input.isolation,
        gateway: input.gateway,
        tokens: input.tokens,
        redaction: input.redaction,
        prices: input.prices,
        clock,
        cancelled: input.signal,
        hasOwnProviders: input.definition.providerFactory !== undefined,
      },
      onRunStarted: (run) => listener.runStarted?.(run),
      onEntry: take,
    });
  } catch (error) {
    await tryToMark(store, { ...record, status: "broken", owner: null }, listener);
    throw error;
  }
  const stats = fold.stats();
  const status = input.signal.aborted && !isWhole(stats) ? "cancelled" : "finished";
  const ended: EvaluationRecord = {
    ...record,
    status,
    endedAt: clock.now().toISOString(),
    owner: null,
    stats,
  };
  await store.updateEvaluation(ended);
  return { record: ended, stats };
}

/** A stop that comes after the last run has ended stops nothing. */
const isWhole = (stats: Record<ModelKey, ModelStats>): boolean =>
  Object.values<ModelStats>(stats).every(
    ({ finished, failuresByFault, planned }) => finished - failuresByFault.stopped === planned,
  );

interface Begun {
  readonly record: EvaluationRecord;
  readonly plan: Plan;
}

async function begin({
  definition,
  select,
  clock,
  random,
  file,
  fingerprint,
  owner,
  store,
}: LocalEvaluation): Promise<Begun> {
  const problems = choose(definition.problems, select);
  const { name, models, trials, limits, tags, concurrency } = definition;
  const makeId = () => makeEvaluationId(name, clock.now().getTime(), random);
  let record: EvaluationRecord = {
    v: 1,
    id: makeId(),
    name,
    status: "running",
    file,
    fingerprint,
    models: [...models],
    trials,
    problemCount: problems.length,
    limits,
    round: 1,
    tags,
    startedAt: clock.now().toISOString(),
    endedAt: null,
    owner,
    concurrency,
    stats: null,
    execution: null,
    runnerVersion: null,
  };
  // Another evaluation of this name may have begun in the same millisecond and drawn the same letters.
  while ((await store.createEvaluation(record, problems)) === "already-there") {
    record = { ...record, id: makeId() };
  }
  return { record, plan: { name, models, problems, trials } };
}

/** The stored evaluation says what is to be run; the definition only says how. */
async function goOn(
  { store, listener, fingerprint, owner, isAlive, definition }: LocalEvaluation,
  id: EvaluationId,
): Promise<Begun> {
  const stored = await store.findEvaluation(id);
  if (stored === null)
    throw new EvaluatorError("evaluation.unknown", `there is no evaluation ${id} in this store`);
  if (
    stored.status === "running" &&
    stored.owner !== null &&
    stored.owner !== owner &&
    isAlive(stored.owner)
  ) {
    throw new EvaluatorError(
      "evaluation.running",
      `evaluation ${id} is still running (${stored.owner}); stop that process first`,
    );
  }
  if (stored.fingerprint !== fingerprint) {
    listener.warning?.(
      "the evaluation's code changed since it started; its earlier runs used the older code",
    );
  }
  const problems: Problem[] = [];
  for await (const problem of store.problems(id)) problems.push(problem);
  const round = (await hasStopped(stored, store)) ? stored.round + 1 : stored.round;
  const record = {
    ...stored,
    status: "running" as const,
    round,
    endedAt: null,
    owner,
    limits: definition.limits,
    concurrency: definition.concurrency,
    stats: null,
  };
  await store.updateEvaluation(record);
  return { record, plan: { name: stored.name, models: stored.models, problems, trials: stored.trials } };
}

/**
 * Runs that were stopped have entries, and within a round the first entry wins; runs that got lost have none.
 * The entries are asked too: whoever stopped an evaluation may have died before it could say so.
 */
async function hasStopped({ id, status, round }: EvaluationRecord, store: Store): Promise<boolean> {
  if (status === "cancelled") return true;
  for await (const entry of store.entries(id, { failed: true })) {
    if (entry.round === round && !isDone(entry)) return true;
  }
  return false;
}

function choose(
  problems: readonly Problem[],
  { limit, problemIds }: LocalEvaluation["select"],
): readonly Problem[] {
  const unknown = problemIds?.find((id) => !problems.some((problem) => problem.id === id));
  if (unknown !== undefined) {
    const some = problems
      .slice(0, 5)
      .map(({ id }) => id)
      .join(", ");
    throw new EvaluatorError(
      "problem.unknown",
      `there is no problem "${unknown}"; the first ids are ${some || "none"}`,
    );
  }
  const wanted = problemIds === undefined ? problems : problems.filter(({ id }) => problemIds.includes(id));
  return limit === undefined ? wanted : wanted.slice(0, limit);
}

async function readDone(
  store: Store,
  id: EvaluationId,
  onEntry: (entry: LogEntry) => void,
  onCounted: (count: number) => void,
): Promise<ReadonlySet<RunId>> {
  const done = new Set<RunId>();
  for await (const entry of store.entries(id)) if (isDone(entry)) done.add(entry.runId);
  onCounted(done.size);
  if (done.size === 0) return done;
  for await (const entry of store.entries(id)) if (done.has(entry.runId)) onEntry(entry);
  return done;
}

/** A run that was stopped has not had its chance yet. */
const isDone = (entry: LogEntry): boolean => entry.failure?.fault !== "stopped";

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
