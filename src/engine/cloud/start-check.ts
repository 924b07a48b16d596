import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { beginNextRound } from "./begin-next-round.ts";
import type { CloudParts } from "./cloud-parts.ts";
import { executionName } from "./execution-name.ts";
import { stoppedEvaluation } from "./round-execution.ts";

/** Begins a round that checks with what is deployed now, whatever the evaluation itself was started with. */
export async function startCheck(parts: CloudParts, id: EvaluationId): Promise<EvaluationRecord> {
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
