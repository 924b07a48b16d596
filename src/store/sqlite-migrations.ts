import { FAILURE_CAUSES } from "../domain/failure.ts";
import { VERDICT } from "../domain/verdict.ts";

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

/** What takes a database from each version to the next; a new one goes through all of them. */
export const MIGRATIONS: readonly string[] = [FIRST, VERDICTS_AND_RANGES, SPENDS, FLEET_LIMITS, SEALS];
