import type { EvaluationId } from "../../domain/ids.ts";
import { sha256 } from "../digest.ts";

const MAX_LENGTH = 64;

/** The same for every attempt to start a round, and made of the letters that Lambda takes. */
export function executionName(id: EvaluationId, round: number): string {
  const name = `${id}-${round}`;
  if (name.length <= MAX_LENGTH && /^[\w-]+$/.test(name)) return name;
  return `${sha256(name).slice(0, 40)}-${round}`;
}
