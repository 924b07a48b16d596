import type { EvaluationRecord } from "../../src/domain/evaluation.ts";
import { failure } from "../../src/domain/failure.ts";
import { EvaluationId, ProblemId } from "../../src/domain/ids.ts";
import type { LogEntry } from "../../src/domain/log-entry.ts";
import { planRuns, type Run } from "../../src/domain/plan.ts";
import type { Problem } from "../../src/domain/problem.ts";
import { sha256 } from "../../src/engine/digest.ts";
import type { Store } from "../../src/store/contract.ts";
import { aBody, aLogEntry, anEvaluation, aProblem, problemPart } from "../fixtures/a-log-entry.ts";

export interface StoredEvaluation {
  readonly record: EvaluationRecord;
  readonly runs: readonly Run[];
}

export interface StoredOptions {
  readonly id?: string;
  readonly problems?: number;
  readonly models?: number;
  readonly trials?: number;
  readonly record?: Partial<EvaluationRecord>;
  /** What a run left behind; null when it has not ended. */
  readonly entryOf?: (run: Run) => Partial<LogEntry> | null;
}

export const someProblems = (count: number): Problem[] =>
  Array.from({ length: count }, (_, at) =>
    aProblem({ id: ProblemId.parse(`p${at}`), problem: `Question ${at}?`, expected: at }),
  );

/** An evaluation with an entry for every run: right, wrong, timed out, and over again. */
export async function storeEvaluation(store: Store, options: StoredOptions = {}): Promise<StoredEvaluation> {
  const { problems: count = 4, models: modelCount = 2, trials = 1, entryOf = inTurn } = options;
  const problems = someProblems(count);
  const models = Array.from({ length: modelCount }, (_, at) => ({
    providerKey: "scripted",
    model: `m${at}`,
  }));
  const record = anEvaluation({
    id: EvaluationId.parse(options.id ?? "capitals-1"),
    models,
    trials,
    problemCount: count,
    ...options.record,
  });
  await store.createEvaluation(record, problems);
  const runs = [...planRuns({ name: record.name, models, problems, trials }, sha256)];
  for (const run of runs) {
    const changes = entryOf(run);
    if (changes !== null) await store.saveEntry(entryFor(record, run, changes), bodyFor(run));
  }
  return { record, runs };
}

export const entryFor = (record: EvaluationRecord, run: Run, changes: Partial<LogEntry> = {}): LogEntry =>
  aLogEntry({
    evaluationId: record.id,
    runId: run.runId,
    index: run.index,
    providerKey: run.model.providerKey,
    model: run.model.model,
    trial: run.trial,
    ...problemPart(run.problem),
    ...changes,
  });

export const bodyFor = (run: Run) =>
  aBody({
    stdout: { head: `run ${run.index} says hello\n`, tail: "", bytes: 17, droppedBytes: 0 },
    stderr: { head: "first", tail: "last", bytes: 1_009, droppedBytes: 1_000 },
    transcript: [{ kind: "note", atMs: 1, text: `note of ${run.index}` }],
  });

export function inTurn({ index }: Run): Partial<LogEntry> {
  if (index % 3 === 0) return { correct: true };
  if (index % 3 === 1) return { correct: false };
  return { correct: null, result: null, failure: failure("timeout", "no answer within 2 s") };
}
