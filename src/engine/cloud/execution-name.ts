import type { EvaluationId } from "../../domain/ids.ts";
import { sha256 } from "../digest.ts";

const MAX_LENGTH = 64;

/** The same for every attempt to start a round, and made of the letters that Lambda takes. */
export const executionName = (id: EvaluationId, round: number): string =>
  fitted(`${id}-${round}`, `${round}`);

/** Of the execution that ends a cancelled round; should it get lost as well, a cancel a minute later begins another. */
export const stopName = (id: EvaluationId, round: number, now: Date): string => {
  const ending = `${round}-stop-${Math.floor(now.getTime() / 60_000)}`;
  return fitted(`${id}-${ending}`, ending);
};

function fitted(name: string, ending: string): string {
  if (name.length <= MAX_LENGTH && /^[\w-]+$/.test(name)) return name;
  return `${sha256(name).slice(0, 40)}-${ending}`;
}
