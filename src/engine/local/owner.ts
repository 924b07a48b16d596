import { hostname } from "node:os";
import { hasCode } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";

/** This process, as the record of an evaluation names who works on it. */
export const thisOwner = (): string => `${hostname()}:${process.pid}`;

/** A process of another machine cannot be asked; it is taken as alive. */
export function isOwnerAlive(owner: string): boolean {
  const colon = owner.lastIndexOf(":");
  if (owner.slice(0, colon) !== hostname()) return true;
  try {
    return process.kill(Number(owner.slice(colon + 1)), 0);
  } catch (error) {
    // EPERM: it is there, but somebody else's.
    return hasCode(error, "EPERM");
  }
}

/** Nobody works on it any more, and nobody said so. An execution in the cloud is no process that could be asked. */
export const isInterrupted = ({ status, owner, execution }: EvaluationRecord): boolean =>
  status === "running" && execution === null && (owner === null || !isOwnerAlive(owner));
