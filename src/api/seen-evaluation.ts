import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { Engine } from "../engine/contract.ts";

/** The record as people need it: an evaluation that nobody works on any more is not running. */
export const seenEvaluation = (record: EvaluationRecord, engine: Engine): EvaluationRecord =>
  engine.isLost?.(record) ? { ...record, status: "broken", owner: null } : record;
