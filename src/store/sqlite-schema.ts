import type { EvaluationId, ProblemId, RunId } from "../domain/ids.ts";

export const SCHEMA_VERSION = 1;

/**
 * Ids and names that users choose are kept as JSON text: SQLite would change a lone surrogate.
 * `failed` is in the index, so that looking for failures reads no rows of runs that did not fail.
 */
export const SCHEMA = `
  CREATE TABLE evaluations (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, started_ms INTEGER NOT NULL, record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX evaluations_by_time ON evaluations (started_ms, id);
  CREATE TABLE problems (
    evaluation_id TEXT NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, problem TEXT NOT NULL,
    PRIMARY KEY (evaluation_id, position), UNIQUE (evaluation_id, id)
  ) STRICT;
  CREATE TABLE entries (
    evaluation_id TEXT NOT NULL, run_id TEXT NOT NULL, round INTEGER NOT NULL,
    position INTEGER NOT NULL, failed INTEGER NOT NULL, problem_id TEXT NOT NULL, body TEXT, head TEXT NOT NULL,
    PRIMARY KEY (evaluation_id, run_id, round),
    FOREIGN KEY (evaluation_id, problem_id) REFERENCES problems (evaluation_id, id)
  ) STRICT;
  CREATE INDEX entries_in_plan_order ON entries (evaluation_id, position, run_id, failed, round);
`;

export const SQL = {
  createEvaluation: `
    INSERT INTO evaluations (id, name, started_ms, record) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  createProblem: "INSERT INTO problems (evaluation_id, position, id, problem) VALUES (?, ?, ?, ?)",
  updateEvaluation: "UPDATE evaluations SET name = ?, started_ms = ?, record = ? WHERE id = ?",
  findEvaluation: "SELECT record FROM evaluations WHERE id = :id",
  listEvaluations: `
    SELECT record FROM evaluations WHERE :name IS NULL OR name = :name
    ORDER BY started_ms DESC, id DESC LIMIT :limit`,
  problemsAfter: `
    SELECT position, problem FROM problems
    WHERE evaluation_id = :evaluation AND position > :position ORDER BY position LIMIT :limit`,
  findProblem: "SELECT problem FROM problems WHERE evaluation_id = :evaluation AND id = :problem",
  insertEntry: `
    INSERT INTO entries (evaluation_id, run_id, round, position, failed, problem_id, body, head)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  entriesAfter: `
    SELECT head FROM entries AS entry
    WHERE evaluation_id = :evaluation AND (position, run_id) > (:position, :run)
      AND (:failed IS NULL OR failed = :failed)
      AND (:runs IS NULL OR run_id IN (SELECT value FROM json_each(:runs)))
      AND NOT EXISTS (
        SELECT 1 FROM entries AS later WHERE later.evaluation_id = entry.evaluation_id
          AND later.run_id = entry.run_id AND later.round > entry.round)
    ORDER BY position, run_id LIMIT :limit`,
  rounds: "SELECT head FROM entries WHERE evaluation_id = :evaluation AND run_id = :run ORDER BY round",
  findEntry: `
    SELECT head, body FROM entries WHERE evaluation_id = :evaluation AND run_id = :run AND round = :round`,
  hasEntry: "SELECT 1 FROM entries WHERE evaluation_id = :evaluation AND run_id = :run AND round = :round",
} as const;

/** Where the next page begins: after this entry. */
export interface EntryCursor {
  readonly position: number;
  readonly run: RunId | "";
}

export const beforeIndex = (index: number): EntryCursor => ({ position: index, run: "" });

export const nameKey = (name: string): string => JSON.stringify(name);
export const problemKey = (id: ProblemId): string => JSON.stringify(id);

/** `ab/abcd….2.0123456789ab.json`: 256 folders per evaluation, and a name that tells two contents apart. */
export const bodyKey = (evaluation: EvaluationId, run: RunId, round: number, digest: string): string =>
  `${evaluation}/${run.slice(0, 2)}/${run}.${round}.${digest.slice(0, 12)}.json`;
