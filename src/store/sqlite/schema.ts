import type { ProblemId } from "../../domain/ids.ts";
import { FAILURE_CAUSES } from "../../domain/run/failure.ts";
import { VERDICT } from "../../domain/run/verdict.ts";

const LATEST_ROUND = `
  NOT EXISTS (
    SELECT 1 FROM entries AS later WHERE later.evaluation_id = entry.evaluation_id
      AND later.run_id = entry.run_id AND later.round > entry.round)`;

const WHOLE_ROW = "run_id, round, position, verdict, problem_id, body, head, seal";

/** As `addWhole` adds. */
const added = (column: string): string => `min(${Number.MAX_SAFE_INTEGER}, ${column} + excluded.${column})`;

export const SQL = {
  createEvaluation: `
    INSERT INTO evaluations (id, name, started_ms, record) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  createProblem: "INSERT INTO problems (evaluation_id, position, id, problem) VALUES (?, ?, ?, ?)",
  updateEvaluation: "UPDATE evaluations SET name = ?, started_ms = ?, record = ? WHERE id = ?",
  findEvaluation: "SELECT record FROM evaluations WHERE id = :id",
  evaluationsAfter: `
    SELECT record FROM evaluations
    WHERE (:name IS NULL OR name = :name) AND (started_ms, id) < (:startedMs, :id)
    ORDER BY started_ms DESC, id DESC LIMIT :limit`,
  problemsAfter: `
    SELECT position, problem FROM problems
    WHERE evaluation_id = :evaluation AND position > :position AND position < :beyond
    ORDER BY position LIMIT :limit`,
  insertEntry: `
    INSERT INTO entries (evaluation_id, run_id, round, position, verdict, problem_id, body, head, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  removeEntry: "DELETE FROM entries WHERE evaluation_id = ? AND run_id = ? AND round = ?",
  bumpProgress: `
    INSERT INTO progress (
      evaluation_id, round, finished, correct, failed, input_tokens, output_tokens, cost_nano_usd)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
      finished = finished + excluded.finished, correct = correct + excluded.correct,
      failed = failed + excluded.failed,
      input_tokens = ${added("input_tokens")},
      output_tokens = ${added("output_tokens")},
      cost_nano_usd = ${added("cost_nano_usd")}`,
  progress: `
    SELECT finished, correct, failed, input_tokens AS inputTokens, output_tokens AS outputTokens,
      cost_nano_usd AS costNanoUsd
    FROM progress WHERE evaluation_id = :evaluation AND round = :round`,
  entriesAfter: `
    SELECT ${WHOLE_ROW} FROM entries AS entry
    WHERE evaluation_id = :evaluation AND position > :position AND position < :beyond
      AND (:verdicts IS NULL OR instr(:verdicts, verdict) > 0)
      AND (:runs IS NULL OR run_id IN (SELECT value FROM json_each(:runs)))
      AND ${LATEST_ROUND}
    ORDER BY position LIMIT :limit`,
  verdictsAfter: `
    SELECT position, verdict FROM entries AS entry
    WHERE evaluation_id = :evaluation AND position > :position AND position < :beyond AND ${LATEST_ROUND}
    ORDER BY position LIMIT :limit`,
  rounds: `SELECT ${WHOLE_ROW} FROM entries WHERE evaluation_id = :evaluation AND run_id = :run ORDER BY round`,
  findEntry: `
    SELECT ${WHOLE_ROW} FROM entries
    WHERE evaluation_id = :evaluation AND run_id = :run AND round = :round`,
  everyRound: `
    SELECT ${WHOLE_ROW} FROM entries
    WHERE evaluation_id = :evaluation AND position >= :from AND position < :to ORDER BY position, round`,
  insertRange: `
    INSERT INTO ranges (evaluation_id, round, first, beyond, range) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`,
  ranges: "SELECT range FROM ranges WHERE evaluation_id = :evaluation ORDER BY round, first, beyond",
  saveShard: `
    INSERT INTO shards (evaluation_id, shard, stats) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET stats = excluded.stats`,
  shardsAfter: `
    SELECT shard, stats FROM shards WHERE evaluation_id = :evaluation AND shard > :shard
    ORDER BY shard LIMIT :limit`,
  requestCancel: "INSERT INTO cancels (evaluation_id, round) VALUES (?, ?) ON CONFLICT DO NOTHING",
  isCancelRequested: "SELECT 1 FROM cancels WHERE evaluation_id = :evaluation AND round = :round",
  addSpend: `
    INSERT INTO spends (evaluation_id, nano_usd, tokens) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET nano_usd = ${added("nano_usd")}, tokens = ${added("tokens")}`,
  spent: "SELECT nano_usd, tokens FROM spends WHERE evaluation_id = :evaluation",
  dropClaims: "DELETE FROM claims WHERE expires_ms <= ?",
  claimRequest: "INSERT INTO claims (key, expires_ms, claim) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  findClaim: "SELECT claim FROM claims WHERE key = :key",
} as const;

export const nameKey = (name: string): string => JSON.stringify(name);
export const problemKey = (id: ProblemId): string => JSON.stringify(id);
export const claimKey = (key: string): string => JSON.stringify(key);

/**
 * Ids and names that users choose are kept as JSON text: SQLite would change a lone surrogate.
 */
const FIRST = `
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

const causeLetters = FAILURE_CAUSES.map((cause) => `WHEN '${cause}' THEN '${VERDICT[cause]}'`).join(" ");

/**
 * A verdict is one letter, in the index: whoever looks for failures or paints a grid reads no other rows.
 * Progress is counted at every save, because adding up a million entries takes seconds.
 */
const VERDICTS_AND_RANGES = `
  DROP INDEX entries_in_plan_order;
  ALTER TABLE entries DROP COLUMN failed;
  ALTER TABLE entries ADD COLUMN verdict TEXT NOT NULL DEFAULT '${VERDICT.missing}';
  UPDATE entries SET verdict = CASE json_extract(head, '$.failure.cause') ${causeLetters} ELSE
    CASE json_extract(head, '$.correct')
      WHEN 1 THEN '${VERDICT.correct}' WHEN 0 THEN '${VERDICT.wrong}' ELSE '${VERDICT.unscored}' END END;
  CREATE INDEX entries_in_plan_order ON entries (evaluation_id, position, run_id, round, verdict);
  CREATE TABLE progress (
    evaluation_id TEXT NOT NULL, round INTEGER NOT NULL,
    finished INTEGER NOT NULL, correct INTEGER NOT NULL, failed INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost_nano_usd INTEGER NOT NULL,
    PRIMARY KEY (evaluation_id, round)
  ) STRICT;
  INSERT INTO progress SELECT evaluation_id, round, count(*),
    sum(verdict = '${VERDICT.correct}'),
    sum(verdict NOT IN ('${VERDICT.correct}', '${VERDICT.wrong}', '${VERDICT.unscored}')),
    sum(coalesce(json_extract(head, '$.usage.inputTokens'), 0)),
    sum(coalesce(json_extract(head, '$.usage.outputTokens'), 0)),
    sum(CAST(round(coalesce(json_extract(head, '$.costUsd'), 0) * 1e9) AS INTEGER))
  FROM entries GROUP BY evaluation_id, round;
  CREATE TABLE ranges (
    evaluation_id TEXT NOT NULL, round INTEGER NOT NULL, first INTEGER NOT NULL, beyond INTEGER NOT NULL,
    range TEXT NOT NULL, PRIMARY KEY (evaluation_id, round, first, beyond)
  ) STRICT;
  CREATE TABLE shards (
    evaluation_id TEXT NOT NULL, shard INTEGER NOT NULL, stats TEXT NOT NULL,
    PRIMARY KEY (evaluation_id, shard)
  ) STRICT;
  CREATE TABLE cancels (
    evaluation_id TEXT NOT NULL, round INTEGER NOT NULL, PRIMARY KEY (evaluation_id, round)
  ) STRICT;
  CREATE TABLE claims (key TEXT PRIMARY KEY, expires_ms INTEGER NOT NULL, claim TEXT NOT NULL) STRICT;
`;

const SPENDS = `
  CREATE TABLE spends (
    evaluation_id TEXT PRIMARY KEY, nano_usd INTEGER NOT NULL, tokens INTEGER NOT NULL
  ) STRICT;
`;

const FLEET_LIMITS = `
  CREATE TABLE fleet_limits (provider TEXT PRIMARY KEY, fleet_limit TEXT NOT NULL) STRICT;
`;

/** Entries from before have none, nor have their evaluations a key. */
const SEALS = "ALTER TABLE entries ADD COLUMN seal TEXT;";

/** Steps that take a database from each version to the next; a new one goes through all of them. */
export const MIGRATIONS: readonly string[] = [FIRST, VERDICTS_AND_RANGES, SPENDS, FLEET_LIMITS, SEALS];
