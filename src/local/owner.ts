import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { hasCode } from "../domain/errors.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import { placeOfProcesses, startOfProcess } from "../isolation/parent/processes.ts";

/** The owners that work in this process now. */
const working = new Set<string>();

/** Names this process, for as long as it works on one evaluation, as `host:pid:place:start:work`. */
export function openOwner(): Disposable & { readonly name: string } {
  const { pid } = process;
  const name = [hostname(), pid, placeOfProcesses(), startOfProcess(pid) ?? "", randomUUID()].join(":");
  working.add(name);
  return { name, [Symbol.dispose]: () => void working.delete(name) };
}

/**
 * Says whether an owner still works. Its process may have ended and its number be another's, and its host may have another
 * name by now. A process of another machine cannot be asked; it is taken as alive.
 */
export function isOwnerAlive(owner: string): boolean {
  const [host, pid, place = "", start = ""] = owner.split(":");
  // An older release wrote no more than these two, as does a machine that does not say more.
  if (place === "" || start === "") return host !== hostname() || isThere(Number(pid));
  // A host that has started again since ended everything before.
  if (place !== placeOfProcesses()) return host !== hostname();
  return Number(pid) === process.pid ? working.has(owner) : startOfProcess(Number(pid)) === start;
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there, but somebody else's.
    return hasCode(error, "EPERM");
  }
}

/** Nobody works on it any more, and nobody said so. An execution in the cloud is not a process that could be asked. */
export const isInterrupted = ({ status, owner, execution }: EvaluationRecord): boolean =>
  status === "running" && execution === null && (owner === null || !isOwnerAlive(owner));
