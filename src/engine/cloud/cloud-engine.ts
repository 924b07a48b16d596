import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { EvaluatorError } from "../../domain/evaluator-error.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { isChecking } from "../../domain/recheck.ts";
import { budgetFields } from "../budget-brake.ts";
import type { DefinitionSummary, Engine, RetryRequest, StartRequest } from "../contract.ts";
import { sha256 } from "../digest.ts";
import { readDefinition } from "../read-definition.ts";
import { requestedOptions } from "../requested-options.ts";
import { summarizeDefinition } from "../summarize-definition.ts";
import { beginInCloud } from "./begin-in-cloud.ts";
import { beginNextRound } from "./begin-next-round.ts";
import { checkFits } from "./check-fits.ts";
import type { CloudParts } from "./cloud-parts.ts";
import { readAll } from "./deployed-definitions.ts";
import { executionName } from "./execution-name.ts";
import { growInCloud } from "./grow-in-cloud.ts";
import { refuseKeys } from "./refuse-keys.ts";
import { describeRound, executeStop, stoppedEvaluation, stopRound } from "./round-execution.ts";
import { startCheck } from "./start-check.ts";
import { storedRecord } from "./stored-record.ts";

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
