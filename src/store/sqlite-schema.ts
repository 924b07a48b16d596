import type { ProblemId } from "../domain/ids.ts";

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
  findProblem: "SELECT problem FROM problems WHERE evaluation_id = :evaluation AND id = :problem",
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
    INSERT INTO spends (evaluation_id, nano_usd, tokens) VALUES (:evaluation, :nanoUsd, :tokens)
    ON CONFLICT DO UPDATE SET nano_usd = ${added("nano_usd")}, tokens = ${added("tokens")}
    RETURNING nano_usd, tokens`,
  dropClaims: "DELETE FROM claims WHERE expires_ms <= ?",
  claimRequest: "INSERT INTO claims (key, expires_ms, claim) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  findClaim: "SELECT claim FROM claims WHERE key = :key",
} as const;

export const nameKey = (name: string): string => JSON.stringify(name);
export const problemKey = (id: ProblemId): string => JSON.stringify(id);
export const claimKey = (key: string): string => JSON.stringify(key);
