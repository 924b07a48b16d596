import type { FailureCause, Fault } from "../../domain/failure.ts";
import type { RunId } from "../../domain/ids.ts";
import { entryModelKey, type LogEntry } from "../../domain/log-entry.ts";
import type { ModelKey } from "../../domain/model.ts";
import { firstLine } from "../../domain/show/first-line.ts";

export interface FailureGroup {
  readonly cause: FailureCause;
  readonly fault: Fault;
  readonly model: ModelKey;
  readonly count: number;
  /** The first run of the group, as an example. */
  readonly runId: RunId;
  readonly example: string;
}

/** Failures by cause and model, counted as entries pass by, so that memory does not grow with them. */
export class FailureGroups {
  readonly #groups = new Map<string, FailureGroup>();
  #firstWrong: RunId | null = null;

  add(entry: Pick<LogEntry, "failure" | "correct" | "runId" | "providerKey" | "model">): void {
    if (entry.failure === null) {
      if (entry.correct === false) this.#firstWrong ??= entry.runId;
      return;
    }
    const { cause, fault, message } = entry.failure;
    const model = entryModelKey(entry);
    const known = this.#groups.get(`${cause} ${model}`);
    const group = known ?? { cause, fault, model, count: 0, runId: entry.runId, example: firstLine(message) };
    this.#groups.set(`${cause} ${model}`, { ...group, count: group.count + 1 });
  }

  /** The most frequent first. */
  groups(): FailureGroup[] {
    return [...this.#groups.values()].sort(
      (a, b) => b.count - a.count || a.cause.localeCompare(b.cause) || a.model.localeCompare(b.model),
    );
  }

  /** A run worth a look: the first failure of the largest group, or else the first wrong answer. */
  worthALook(): { runId: RunId; why: "failed" | "wrong" } | null {
    // A run that was stopped has nothing to tell.
    const largest = this.groups().find(({ fault }) => fault !== "stopped");
    if (largest !== undefined) return { runId: largest.runId, why: "failed" };
    return this.#firstWrong === null ? null : { runId: this.#firstWrong, why: "wrong" };
  }
}
