import type { EvaluationId, RunId } from "../domain/ids.ts";

/** `<evaluation>/ab/abcd….2.0123456789ab.json`: 256 folders each, and a name that tells two contents apart. */
export const bodyKey = (evaluation: EvaluationId, run: RunId, round: number, digest: string): string =>
  `${evaluation}/${run.slice(0, 2)}/${run}.${round}.${digest.slice(0, 12)}.json`;
