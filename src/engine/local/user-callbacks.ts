import type { ModelKey } from "../../domain/model.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import type { EvaluationOptions } from "../definition/definition.ts";

type Callbacks = Pick<EvaluationOptions, "onEntry" | "onUpdate">;

/** Tells the user's own callbacks; one that throws is reported once and loses no entry. */
export function userCallbacks(
  { onEntry, onUpdate }: Callbacks,
  warn: (message: string) => void,
): (entry: LogEntry, stats: () => Record<ModelKey, ModelStats>) => void {
  const logs: LogEntry[] = [];
  const broken = new Set<string>();
  const guard = (name: string, call: () => unknown) => {
    const complain = (error: unknown) => {
      if (broken.has(name)) return;
      broken.add(name);
      warn(
        `${name} threw an error, and the evaluation continues: ${error instanceof Error ? error.message : String(error)}`,
      );
    };
    try {
      Promise.resolve(call()).catch(complain);
    } catch (error) {
      complain(error);
    }
  };
  return (entry, stats) => {
    if (onEntry !== undefined) guard("onEntry", () => onEntry(entry));
    if (onUpdate === undefined) return;
    insertInOrder(logs, entry);
    guard("onUpdate", () => onUpdate(stats(), logs));
  };
}

/** Runs mostly end in plan order, so the place is near the end. */
function insertInOrder(logs: LogEntry[], entry: LogEntry): void {
  let place = logs.length;
  while (place > 0 && (logs[place - 1]?.index ?? -1) > entry.index) place--;
  logs.splice(place, 0, entry);
}
