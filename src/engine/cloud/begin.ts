import { cloudLimitTroubles } from "../../domain/cloud/limits.ts";
import { type ErrorCode, EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { type EvaluationId, makeEvaluationId } from "../../domain/ids.ts";
import { countPlanned, countRuns, countShards, grownPlan } from "../../domain/plan.ts";
import { holdsKey } from "../../domain/redact.ts";
import { sha256 } from "../../system/digest.ts";
import { budgetFields } from "../budget-brake.ts";
import { type Definition, readDefinition } from "../definition/read-definition.ts";
import { grownChoice, grownOptions, nothingNew } from "../definition/requests.ts";
import type { GrowRequest, StartRequest } from "../engine.ts";
import { countSpendBefore } from "../take-over.ts";
import { executeRound, executionName, quietenRound, stoppedEvaluation } from "./executions.ts";
import { type CloudParts, checkModels, type RunnerMeans, storedRecord } from "./parts.ts";
import { MAX_SHARDS } from "./retry-rules.ts";

/** Stores the larger evaluation; its shards take over what ended before, each for its own runs. */
export async function growInCloud(
  parts: CloudParts,
  id: EvaluationId,
  request: GrowRequest,
  givenId: EvaluationId | undefined,
): Promise<EvaluationRecord> {
  const { store, runner } = parts;
  const { record: stored } = await stoppedEvaluation(parts, id);
  const { options, bundle } = await (await parts.definitions()).load(stored.name);
  const asked = grownOptions(options, stored, request);
  const definition = await readDefinition(asked, sha256, grownChoice(request));
  const before = await Array.fromAsync(store.problems(id));
  const plan = { ...definition, ...grownPlan(stored, before, definition) };
  if (countRuns(plan) === countPlanned(stored)) throw nothingNew(id);
  checkFits(plan, runner);
  refuseKeys(request);
  await quietenRound(parts, stored);
  return beginInCloud(parts, {
    ...{ plan, fingerprint: bundle.fingerprint },
    ...(givenId === undefined ? {} : { id: givenId }),
    ...{ grownFrom: id, keepsFailed: request.retryFailed !== true },
  });
}

interface NewEvaluation extends Partial<Pick<EvaluationRecord, "id" | "grownFrom" | "keepsFailed">> {
  readonly plan: Definition;
  readonly fingerprint: string;
}

/** Stores a new evaluation and starts its first round; an id that exists is that evaluation, which is not started twice. */
export async function beginInCloud(parts: CloudParts, wanted: NewEvaluation): Promise<EvaluationRecord> {
  const { store } = parts;
  const record = newRecord(parts, wanted);
  const isNew = (await store.createEvaluation(record, wanted.plan.problems)) === "saved";
  if (isNew && record.grownFrom !== null) await countSpendBefore(store, record.grownFrom, record.id);
  // Whoever stored it may have died before it was started.
  const stored = isNew ? record : await storedRecord(store, record.id);
  if (isNew || stored.status === "running") await executeRound(parts, stored);
  return stored;
}

function newRecord(
  { clock, random, executions }: CloudParts,
  { plan, fingerprint, grownFrom = null, keepsFailed = true, ...given }: NewEvaluation,
): EvaluationRecord {
  const id = given.id ?? makeEvaluationId(plan.name, clock.now().getTime(), random);
  return {
    v: 1,
    id,
    name: plan.name,
    status: "running",
    file: null,
    fingerprint,
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
    grownFrom,
    keepsFailed,
    recheck: null,
    ...budgetFields(plan.budget, clock.now()),
    ...(plan.drift === undefined ? {} : { drift: plan.drift }),
    execution: executionName(id, 1),
    runnerVersion: executions.version,
  };
}

/**
 * Refuses problems and tags of a request that hold what looks like a key. They are stored as they come, because
 * whoever stores them has no keys to compare them with.
 */
export function refuseKeys({ problems = [], tags = [] }: Pick<StartRequest, "problems" | "tags">): void {
  refuse("problem.holds_key", "problems", problems.findIndex(holdsKey));
  refuse("tag.holds_key", "tags", tags.findIndex(holdsKey));
}

function refuse(code: ErrorCode, list: string, place: number): void {
  if (place === -1) return;
  throw new EvaluatorError(
    code,
    `${list}[${place}] holds what looks like a key, and would be stored with it; take it out, and should it be one, replace it at its provider`,
  );
}

/** Refuses what cannot be run in the cloud, with all the reasons. */
export function checkFits(plan: Definition, runner: RunnerMeans): void {
  const shards = countShards({ ...plan, problemCount: plan.problems.length });
  const troubles = [
    ...cloudLimitTroubles(plan.limits, runner),
    ...(shards > MAX_SHARDS ? [`it has ${shards} shards of runs, and an execution holds ${MAX_SHARDS}`] : []),
  ];
  checkModels(plan, runner);
  if (troubles.length === 0) return;
  throw new EvaluatorError("evaluation.too_large", `${plan.name} cannot run here: ${troubles.join("; ")}`);
}
