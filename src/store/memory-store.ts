import { setImmediate } from "node:timers/promises";
import { EvaluationRecord } from "../domain/evaluation.ts";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import type { EvaluationId, ProblemId, RunId } from "../domain/ids.ts";
import type { LogEntry } from "../domain/log-entry.ts";
import type { Problem } from "../domain/problem.ts";
import type { RunBody } from "../domain/run-body.ts";
import { bodyOfHead, bodyToKeep, StoredBody } from "./body-to-keep.ts";
import type { EntryFilter, EvaluationFilter, Saved, Store } from "./contract.ts";
import { EntryHead, toEntryHead, toLogEntry } from "./entry-head.ts";
import { readStored } from "./read-stored.ts";
import { problemFromText, problemToText } from "./stored-problem.ts";
import { unknownEvaluation } from "./unknown-evaluation.ts";

/** Keeps evaluations for as long as the process lives, for those who want no store. */
export const memoryStore = (): Store => new MemoryStore();

/** Everything is kept as JSON text, so that nobody who holds a value can change what was saved. */
interface Kept {
  record: string;
  readonly problems: ReadonlyMap<ProblemId, string>;
  readonly runs: Map<RunId, Map<number, KeptEntry>>;
}

interface KeptEntry {
  readonly index: number;
  readonly round: number;
  readonly failed: boolean;
  readonly head: string;
  readonly body: string | null;
}

/** After so many entries everything else in the process gets its turn. */
const ENTRIES_PER_TURN = 500;

class MemoryStore implements Store {
  readonly #evaluations = new Map<EvaluationId, Kept>();

  async createEvaluation(record: EvaluationRecord, problems: Iterable<Problem>): Promise<Saved> {
    if (this.#evaluations.has(record.id)) return "already-there";
    const texts = new Map([...problems].map((problem) => [problem.id, problemToText(problem)]));
    this.#evaluations.set(record.id, { record: JSON.stringify(record), problems: texts, runs: new Map() });
    return "saved";
  }

  async updateEvaluation(record: EvaluationRecord): Promise<void> {
    const kept = this.#evaluations.get(record.id);
    if (kept === undefined) throw unknownEvaluation(record.id);
    kept.record = JSON.stringify(record);
  }

  async findEvaluation(id: EvaluationId): Promise<EvaluationRecord | null> {
    const kept = this.#evaluations.get(id);
    return kept === undefined ? null : readRecord(kept);
  }

  async listEvaluations({ name, limit }: EvaluationFilter = {}): Promise<readonly EvaluationRecord[]> {
    return [...this.#evaluations.values()]
      .map(readRecord)
      .filter((record) => name === undefined || record.name === name)
      .sort(byNewest)
      .slice(0, limit);
  }

  async *problems(id: EvaluationId): AsyncGenerator<Problem> {
    for (const text of this.#evaluations.get(id)?.problems.values() ?? []) yield problemFromText(text, id);
  }

  async saveEntry(entry: LogEntry, body: RunBody): Promise<Saved> {
    const { runId, round, index, failure } = entry;
    const runs = this.#runsFor(entry);
    const rounds = runs.get(runId) ?? new Map<number, KeptEntry>();
    if (rounds.has(round)) return "already-there";
    const head = toEntryHead(entry);
    const whole = bodyToKeep(entry, head, body);
    rounds.set(round, {
      index,
      round,
      failed: failure !== null,
      head: JSON.stringify(head),
      body: whole && JSON.stringify(whole),
    });
    runs.set(runId, rounds);
    return "saved";
  }

  async *entries(id: EvaluationId, filter: EntryFilter = {}): AsyncGenerator<LogEntry> {
    const kept = this.#evaluations.get(id);
    if (kept === undefined) return;
    for (const [number, entry] of latestInPlanOrder(kept, filter).entries()) {
      if (number % ENTRIES_PER_TURN === 0) await setImmediate();
      yield readEntry(kept, entry);
    }
  }

  async rounds(id: EvaluationId, runId: RunId): Promise<readonly LogEntry[]> {
    const kept = this.#evaluations.get(id);
    const rounds = [...(kept?.runs.get(runId)?.values() ?? [])].sort((a, b) => a.round - b.round);
    return kept === undefined ? [] : rounds.map((entry) => readEntry(kept, entry));
  }

  async readBody(id: EvaluationId, runId: RunId, round: number): Promise<RunBody | null> {
    const found = this.#evaluations.get(id)?.runs.get(runId)?.get(round);
    if (found === undefined) return null;
    if (found.body !== null) return readStored(StoredBody, found.body, "A body");
    return bodyOfHead(readStored(EntryHead, found.head, "A log entry"));
  }

  async close(): Promise<void> {}

  #runsFor({ evaluationId, problemId }: LogEntry): Kept["runs"] {
    const kept = this.#evaluations.get(evaluationId);
    if (kept?.problems.has(problemId)) return kept.runs;
    throw new EvaluatorError(
      "store.unknown_problem",
      `${evaluationId} was not created with the problem ${problemId}; create it before saving its entries`,
    );
  }
}

function latestInPlanOrder({ runs }: Kept, filter: EntryFilter): KeptEntry[] {
  const wanted = filter.runIds && new Set(filter.runIds);
  return [...runs]
    .filter(([runId]) => wanted === undefined || wanted.has(runId))
    .map(([, rounds]) => latest(rounds))
    .filter((entry) => entry.index >= (filter.fromIndex ?? 0))
    .filter((entry) => filter.failed === undefined || entry.failed === filter.failed)
    .sort((a, b) => a.index - b.index);
}

const latest = (rounds: ReadonlyMap<number, KeptEntry>): KeptEntry =>
  [...rounds.values()].reduce((a, b) => (a.round > b.round ? a : b));

function readEntry(kept: Kept, entry: KeptEntry): LogEntry {
  const head = readStored(EntryHead, entry.head, "A log entry");
  const problem = problemFromText(kept.problems.get(head.problemId), `Problem ${head.problemId}`);
  return toLogEntry(head, problem);
}

const readRecord = ({ record }: Kept): EvaluationRecord =>
  readStored(EvaluationRecord, record, "The record of an evaluation");

const byNewest = (a: EvaluationRecord, b: EvaluationRecord): number =>
  Date.parse(b.startedAt) - Date.parse(a.startedAt) || (a.id < b.id ? 1 : -1);
