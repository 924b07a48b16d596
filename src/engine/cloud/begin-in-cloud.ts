import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { makeEvaluationId } from "../../domain/ids.ts";
import { budgetFields } from "../budget-brake.ts";
import type { Definition } from "../read-definition.ts";
import { countSpendBefore } from "../spend-before.ts";
import type { CloudParts } from "./cloud-parts.ts";
import { executionName } from "./execution-name.ts";
import { executeRound } from "./round-execution.ts";
import { storedRecord } from "./stored-record.ts";

export interface NewEvaluation extends Partial<Pick<EvaluationRecord, "id" | "grownFrom" | "keepsFailed">> {
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
