import { EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { isChecking } from "../../domain/run/verdict.ts";
import { sha256 } from "../../system/digest.ts";
import { budgetFields } from "../budget-brake.ts";
import { readDefinition } from "../definition/read-definition.ts";
import { requestedOptions, summarizeDefinition } from "../definition/requests.ts";
import type { DefinitionSummary, Engine, RetryRequest, StartRequest } from "../engine.ts";
import { beginInCloud, checkFits, growInCloud, refuseKeys } from "./begin.ts";
import {
  describeRound,
  executeRound,
  executeStop,
  executionName,
  quietenRound,
  stoppedEvaluation,
  stopRound,
} from "./executions.ts";
import { type CloudParts, readAll, storedRecord } from "./parts.ts";

/** Runs evaluations in an AWS account: each round is a durable execution, named by what it does. */
export const cloudEngine = (parts: CloudParts): Engine => ({
  definitions: async (): Promise<readonly DefinitionSummary[]> =>
    (await readAll(await parts.definitions())).map(summarizeDefinition),
  start: (request, options) => start(parts, request, options?.id),
  cancel: (id) => cancel(parts, id),
  retry: (id, request) => retry(parts, id, request),
  check: (id) => startCheck(parts, id),
  grow: (id, request, options) => growInCloud(parts, id, request, options?.id),
});

async function start(
  parts: CloudParts,
  request: StartRequest,
  id: EvaluationId | undefined,
): Promise<EvaluationRecord> {
  const { options, bundle } = await (await parts.definitions()).load(request.evaluation);
  const choice = request.problemIds === undefined ? {} : { problemIds: request.problemIds };
  const plan = await readDefinition(requestedOptions(options, request), sha256, choice);
  checkFits(plan, parts.runner);
  refuseKeys(request);
  const { fingerprint } = bundle;
  return beginInCloud(parts, { plan, fingerprint, ...(id === undefined ? {} : { id }) });
}

/** An execution that hears the flag ends its round; where none does, another accounts for what is missing. */
async function cancel(parts: CloudParts, id: EvaluationId): Promise<EvaluationRecord> {
  const { store, clock } = parts;
  const record = await storedRecord(store, id);
  if (record.status !== "running") {
    throw new EvaluatorError("evaluation.not_running", `evaluation ${id} is ${record.status}, not running`);
  }
  const { round } = record;
  const state = await describeRound(parts, record);
  const isAgain = await store.isCancelRequested(id, round);
  await store.requestCancel(id, round);
  if (state === "running" && !isAgain) return record;
  if (state === "running") await stopRound(parts, record);
  await executeStop(parts, record, clock.now());
  return record;
}

/** A round whose execution died without a word is over too; one that was never started is started now. */
async function retry(
  parts: CloudParts,
  id: EvaluationId,
  { budget }: RetryRequest = {},
): Promise<EvaluationRecord> {
  const { record, state } = await stoppedEvaluation(parts, id);
  // A stop that nobody was there to hear would stop the same round again.
  const isFresh =
    state === "unknown" && !isChecking(record) && !(await parts.store.isCancelRequested(id, record.round));
  const round = isFresh ? record.round : record.round + 1;
  return beginNextRound(parts, record, {
    ...record,
    status: "running",
    round,
    endedAt: null,
    stats: null,
    ...budgetFields(budget ?? record.budget, parts.clock.now()),
    execution: executionName(id, round),
  });
}

/** Begins a round that checks with what is deployed now, whatever the evaluation itself was started with. */
async function startCheck(parts: CloudParts, id: EvaluationId): Promise<EvaluationRecord> {
  const { record } = await stoppedEvaluation(parts, id);
  const { bundle } = await (await parts.definitions()).load(record.name);
  const round = record.round + 1;
  return beginNextRound(parts, record, {
    ...record,
    status: "running",
    round,
    recheck: {
      ...{ round, fingerprint: bundle.fingerprint },
      ...{ runnerVersion: parts.executions.version, unchecked: null },
    },
    execution: executionName(id, round),
  });
}

/** Stores that an evaluation goes on, and starts its round; of two who try that at once one is refused. */
async function beginNextRound(
  parts: Pick<CloudParts, "store" | "executions">,
  before: EvaluationRecord,
  { hasLateRuns: _, ...next }: EvaluationRecord,
): Promise<EvaluationRecord> {
  const isAnother = next.round > before.round;
  const flags = isAnother ? await quietenRound(parts, before) : {};
  if ((await parts.store.updateEvaluation(next, before)) === "changed") throw overtaken(before.id);
  await executeRound(parts, next, flags);
  return next;
}

const overtaken = (id: string) =>
  new EvaluatorError(
    "evaluation.running",
    `evaluation ${id} has changed since it was looked at: it ended, or somebody else went on with it; look again`,
  );
