import type { Clock } from "../../domain/clock.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { EvaluatorError } from "../../domain/evaluator-error.ts";
import { type EvaluationId, makeEvaluationId } from "../../domain/ids.ts";
import type { Store } from "../../store/contract.ts";
import { budgetFields } from "../budget-brake.ts";
import type { DefinitionSummary, Engine, RetryRequest, StartRequest } from "../contract.ts";
import { summarizeDefinition } from "../summarize-definition.ts";
import { type DeployedDefinitions, readAll } from "./deployed-definitions.ts";
import { executionName, stopName } from "./execution-name.ts";
import type { Executions } from "./executions.ts";
import { planRequest } from "./plan-request.ts";
import type { RunnerMeans } from "./runner-means.ts";
import { storedRecord } from "./stored-record.ts";

export interface CloudParts {
  readonly store: Store;
  readonly executions: Executions;
  /** Opened when they are first asked for. */
  readonly definitions: () => Promise<DeployedDefinitions>;
  /** No run may need more. */
  readonly runner: RunnerMeans;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Runs evaluations in an AWS account: each round is a durable execution, named by what it does. */
export const cloudEngine = (parts: CloudParts): Engine => ({
  definitions: async (): Promise<readonly DefinitionSummary[]> =>
    (await readAll(await parts.definitions())).map(summarizeDefinition),
  start: (request, options) => start(parts, request, options?.id),
  cancel: (id) => cancel(parts, id),
  retry: (id, request) => retry(parts, id, request),
});

async function start(
  parts: CloudParts,
  request: StartRequest,
  givenId: EvaluationId | undefined,
): Promise<EvaluationRecord> {
  const { store, clock, random, executions } = parts;
  const { options, bundle } = await (await parts.definitions()).load(request.evaluation);
  const plan = await planRequest(options, request, parts.runner);
  const id = givenId ?? makeEvaluationId(plan.name, clock.now().getTime(), random);
  const record: EvaluationRecord = {
    v: 1,
    id,
    name: plan.name,
    status: "running",
    file: null,
    fingerprint: bundle.fingerprint,
    models: [...plan.models],
    trials: plan.trials,
    problemCount: plan.problems.length,
    limits: plan.limits,
    round: 1,
    tags: [...plan.tags],
    startedAt: clock.now().toISOString(),
    endedAt: null,
    owner: null,
    concurrency: plan.concurrency,
    stats: null,
    grownFrom: null,
    keepsFailed: true,
    ...budgetFields(plan.budget, clock.now()),
    ...(plan.drift === undefined ? {} : { drift: plan.drift }),
    execution: executionName(id, 1),
    runnerVersion: executions.version,
  };
  const isNew = (await store.createEvaluation(record, plan.problems)) === "saved";
  // Whoever stored it may have died before it was started.
  const stored = isNew ? record : await storedRecord(store, id);
  if (isNew || stored.status === "running") await execute(parts, stored);
  return stored;
}

/** An execution that hears the flag ends its round; where none does, another accounts for what is missing. */
async function cancel(parts: CloudParts, id: EvaluationId): Promise<EvaluationRecord> {
  const { store, clock } = parts;
  const record = await storedRecord(store, id);
  if (record.status !== "running") {
    throw new EvaluatorError("evaluation.not_running", `evaluation ${id} is ${record.status}, not running`);
  }
  const { round } = record;
  const state = await describe(parts, record);
  const isAgain = await store.isCancelRequested(id, round);
  await store.requestCancel(id, round);
  if (state === "running" && !isAgain) return record;
  if (state === "running") await stop(parts, record);
  await execute(parts, record, stopName(id, round, clock.now()));
  return record;
}

/** A round whose execution died without a word is over too; one that was never started is started now. */
async function retry(
  parts: CloudParts,
  id: EvaluationId,
  { budget }: RetryRequest = {},
): Promise<EvaluationRecord> {
  const record = await storedRecord(parts.store, id);
  const state = record.status === "running" ? await describe(parts, record) : "ended";
  if (state === "running") {
    throw new EvaluatorError(
      "evaluation.running",
      `evaluation ${id} is still running; cancel it first, or wait for its end`,
    );
  }
  // A stop that nobody was there to hear would stop the same round again.
  const isFresh = state === "unknown" && !(await parts.store.isCancelRequested(id, record.round));
  const round = isFresh ? record.round : record.round + 1;
  const next: EvaluationRecord = {
    ...record,
    status: "running",
    round,
    endedAt: null,
    stats: null,
    ...budgetFields(budget ?? record.budget, parts.clock.now()),
    execution: executionName(id, round),
  };
  await parts.store.updateEvaluation(next);
  await execute(parts, next);
  return next;
}

const describe = ({ executions }: CloudParts, { id, round, runnerVersion }: EvaluationRecord) =>
  executions.describe(runnerVersion ?? executions.version, executionName(id, round));

const stop = ({ executions }: CloudParts, { id, round, runnerVersion }: EvaluationRecord) =>
  executions.stop(runnerVersion ?? executions.version, executionName(id, round));

/** Always by the version that the evaluation started with. */
const execute = (
  { executions }: CloudParts,
  { id, round, runnerVersion }: EvaluationRecord,
  name = executionName(id, round),
): Promise<void> =>
  executions.start(runnerVersion ?? executions.version, name, { v: 1, evaluationId: id, round });
