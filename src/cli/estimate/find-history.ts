import type { LogEntry } from "../../domain/log-entry.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { Store } from "../../store/contract.ts";

const LATEST_EVALUATIONS = 10;
/** Further ones would change little. */
const ENOUGH_RUNS = 200;

/** The latest runs of a model in evaluations of this name; those that were stopped say nothing. */
export async function findHistory(store: Store, name: string, model: ModelKey): Promise<LogEntry[]> {
  const found: LogEntry[] = [];
  for (const { id } of await store.listEvaluations({ name, limit: LATEST_EVALUATIONS })) {
    for await (const entry of store.entries(id, { model })) {
      if (entry.failure?.fault !== "stopped") found.push(entry);
      if (found.length === ENOUGH_RUNS) return found;
    }
  }
  return found;
}
