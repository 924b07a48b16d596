import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import type { CloudParts } from "./cloud-parts.ts";
import { executionName } from "./execution-name.ts";
import { executeRound, quietenRound, stoppedEvaluation } from "./round-execution.ts";

/** Begins a round that checks with what is deployed now, whatever the evaluation itself was started with. */
export async function startCheck(parts: CloudParts, id: EvaluationId): Promise<EvaluationRecord> {
  const { store, executions } = parts;
  const { record } = await stoppedEvaluation(parts, id);
  const { bundle } = await (await parts.definitions()).load(record.name);
  const before = await quietenRound(parts, record);
  const { hasLateRuns: _, ...stored } = record;
  const round = record.round + 1;
  const next: EvaluationRecord = {
    ...stored,
    status: "running",
    round,
    recheck: {
      ...{ round, fingerprint: bundle.fingerprint },
      ...{ runnerVersion: executions.version, unchecked: null },
    },
    execution: executionName(id, round),
  };
  await store.updateEvaluation(next);
  await executeRound(parts, next, before);
  return next;
}
