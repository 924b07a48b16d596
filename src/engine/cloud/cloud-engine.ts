import type { Clock } from "../../domain/clock.ts";
import { EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { countPlanned, countRuns, grownPlan } from "../../domain/plan.ts";
import { isChecking } from "../../domain/run/verdict.ts";
import type { Store } from "../../store/store.ts";
import { sha256 } from "../../system/digest.ts";
import type { EvaluationOptions } from "../definition/definition.ts";
import { type Definition, readDefinition } from "../definition/read-definition.ts";
import {
  grownChoice,
  grownOptions,
  nothingNew,
  requestedOptions,
  summarizeDefinition,
} from "../definition/requests.ts";
import type { Engine, GrowRequest, StartRequest } from "../engine.ts";
import { countSpendBefore } from "../owed-runs.ts";
import { newRecord, recheckRecord, reopenRecord, storedRecord } from "../record.ts";
import { admitEvaluation, type RunnerMeans } from "./admission.ts";
import { type ExecutionState, type Executions, executionName } from "./executions.ts";

/** What an engine in an AWS account works with. */
interface CloudDeps {
  readonly store: Store;
  readonly executions: Executions;
  /** Opened when they are first asked for. */
  readonly definitions: () => Promise<DeployedDefinitions>;
  /** No run may need more. */
  readonly runner: RunnerMeans;
  readonly clock: Clock;
  readonly random: () => number;
}

/** The definitions that were deployed with a function. */
export interface DeployedDefinitions {
  readonly names: readonly string[];
  /** One of another name is `definition.unknown`. */
  load(name: string): Promise<DeployedDefinition>;
}

interface DeployedDefinition {
  readonly options: EvaluationOptions;
  readonly bundle: { readonly fingerprint: string };
}

/** Runs evaluations in an AWS account: each round is a durable execution, named by what it does. */
export function cloudEngine(deps: CloudDeps): Engine {
  const { store, executions, clock } = deps;
  const load = async (name: string) => (await deps.definitions()).load(name);
  return {
    async definitions() {
      const { names, load } = await deps.definitions();
      return (await Promise.all(names.map(load))).map(({ options }) => summarizeDefinition(options));
    },
    async start(request, { id } = {}) {
      const { options, bundle } = await load(request.evaluation);
      const choice = request.problemIds === undefined ? {} : { problemIds: request.problemIds };
      const definition = await readDefinition(requestedOptions(options, request), sha256, choice);
      return begin(deps, { definition, request, bundle, id, origin: {} });
    },
    async grow(id, request, { id: newId } = {}) {
      const { record: before } = await stoppedEvaluation(deps, id);
      const { options, bundle } = await load(before.name);
      const asked = grownOptions(options, before, request);
      const more = await readDefinition(asked, sha256, grownChoice(request));
      const plan = grownPlan(before, await Array.fromAsync(store.problems(id)), more);
      if (countRuns(plan) === countPlanned(before)) throw nothingNew(id);
      const origin = { grownFrom: id, keepsFailed: request.retryFailed !== true };
      return begin(deps, { definition: { ...more, ...plan }, request, bundle, id: newId, origin, before });
    },
    /** An execution that hears the flag ends its round; where none does, another accounts for what is missing. */
    async cancel(id) {
      const record = await storedRecord(store, id);
      if (record.status !== "running") {
        throw new EvaluatorError(
          "evaluation.not_running",
          `evaluation ${id} is ${record.status}, not running`,
        );
      }
      const state = await executions.describe(record);
      const isAgain = await store.isCancelRequested(id, record.round);
      await store.requestCancel(id, record.round);
      if (state === "running" && !isAgain) return record;
      if (state === "running") await executions.stop(record);
      await executions.account(record, clock.now());
      return record;
    },
    /** A round whose execution died without a word is over too; one that was never started is started now. */
    async retry(id, { budget } = {}) {
      const { record, state } = await stoppedEvaluation(deps, id);
      // A stop that nobody was there to hear would stop the same round again.
      const isFresh =
        state === "unknown" && !isChecking(record) && !(await store.isCancelRequested(id, record.round));
      const round = isFresh ? record.round : record.round + 1;
      return goOn(deps, record, reopenRecord(record, { budget, now: clock.now() }, { round }));
    },
    /** Checks with what is deployed now, whatever the evaluation itself was started with. */
    async check(id) {
      const { record } = await stoppedEvaluation(deps, id);
      const { fingerprint } = (await load(record.name)).bundle;
      return goOn(
        deps,
        record,
        recheckRecord(record, { fingerprint, runnerVersion: executions.version }, {}),
      );
    },
  };
}

interface NewEvaluation extends Pick<DeployedDefinition, "bundle"> {
  readonly definition: Definition;
  readonly request: StartRequest | GrowRequest;
  readonly id: EvaluationId | undefined;
  readonly origin: Pick<Partial<EvaluationRecord>, "grownFrom" | "keepsFailed">;
  /** The one that it grows out of; its shards take over what ended there, each for its own runs. */
  readonly before?: EvaluationRecord;
}

/** Stores a new evaluation and starts its first round; an id that exists is that evaluation, which is not started twice. */
async function begin(
  deps: CloudDeps,
  { definition, request, bundle, id, origin, before }: NewEvaluation,
): Promise<EvaluationRecord> {
  const { store, executions } = deps;
  admitEvaluation(definition, request, deps.runner, await executions.places());
  if (before !== undefined) await quietenRound(store, before);
  const given = { ...origin, runnerVersion: executions.version };
  const made = newRecord({ ...deps, definition, fingerprint: bundle.fingerprint, id }, given);
  const { drift } = definition;
  const record = { ...made, ...(drift && { drift }), execution: executionName(made.id, 1) };
  const isNew = (await store.createEvaluation(record, definition.problems)) === "saved";
  if (isNew && before !== undefined) await countSpendBefore(store, before.id, record.id);
  // The function that stored it may have died before it was started.
  const stored = isNew ? record : await storedRecord(store, record.id);
  if (isNew || stored.status === "running") await executions.start(stored);
  return stored;
}

/** Stores that an evaluation goes on, and starts its round; of two who try that at once one is refused. */
async function goOn(
  { store, executions }: CloudDeps,
  before: EvaluationRecord,
  { hasLateRuns: _, ...opened }: EvaluationRecord,
): Promise<EvaluationRecord> {
  const { id, round } = opened;
  const next = { ...opened, execution: executionName(id, round) };
  const flags = round > before.round ? await quietenRound(store, before) : {};
  if ((await store.updateEvaluation(next, before)) === "changed") {
    throw new EvaluatorError(
      "evaluation.running",
      `evaluation ${id} has changed in the meantime: it ended, or someone else resumed it; check its status again`,
    );
  }
  await executions.start(next, flags);
  return next;
}

/** Shards of an execution that died start no further run from now on; says what the next one has to know of it. */
async function quietenRound(
  store: Pick<Store, "requestCancel">,
  { id, round, status, hasLateRuns }: EvaluationRecord,
): Promise<{ readonly isAfterStop?: true }> {
  const hasDied = status === "running";
  if (hasDied) await store.requestCancel(id, round);
  return hasDied || hasLateRuns ? { isAfterStop: true } : {};
}

interface StoppedEvaluation {
  readonly record: EvaluationRecord;
  /** `unknown`: it is said to run, but was never started. */
  readonly state: Exclude<ExecutionState, "running">;
}

/** The evaluation, unless its execution is under way; one that died without a word is over too. */
async function stoppedEvaluation(
  { store, executions }: CloudDeps,
  id: EvaluationId,
): Promise<StoppedEvaluation> {
  const record = await storedRecord(store, id);
  const state = record.status === "running" ? await executions.describe(record) : "ended";
  if (state !== "running") return { record, state };
  throw new EvaluatorError(
    "evaluation.running",
    `evaluation ${id} is still running; cancel it first, or wait until it ends`,
  );
}
