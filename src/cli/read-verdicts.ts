import type { EvaluationId } from "../domain/ids.ts";
import type { EvaluationReader } from "./evaluation-reader.ts";

/** One character of `VERDICT` per run of an evaluation, in plan order. */
export async function readVerdicts(reader: EvaluationReader, id: EvaluationId): Promise<string> {
  let verdicts = "";
  for await (const row of reader.verdictRows(id)) verdicts += row.verdicts;
  return verdicts;
}
