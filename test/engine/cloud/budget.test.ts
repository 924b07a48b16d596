import { LocalDurableTestRunner } from "@aws/durable-execution-sdk-js-testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { totalTokens } from "../../../src/domain/run/usage.ts";
import { VERDICT } from "../../../src/domain/run/verdict.ts";
import { evaluateInCloud } from "../../fixtures/cloud/evaluate-in-cloud.ts";
import { doubles } from "../../fixtures/run/doubling-evaluation.ts";

beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: false }));
afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());

const [CONCURRENCY, MOST_TOKENS_PER_RUN] = [10, 14];
/** Of a run of each model. */
const TOKENS = [14, 12];

test("the first budget of a retry counts what was spent without one, whatever took its place since", async () => {
  const cloud = await evaluateInCloud(doubles(30, { concurrency: CONCURRENCY }));
  const first = await cloud.run();
  const second = await cloud.retry(first.record);
  const used = (executed: typeof first.executed) =>
    [...executed.dispatched.keys()].map((run) => TOKENS[Math.floor(run / 2) % 2] ?? 0);
  const spent = [...used(first.executed), ...used(second.executed)].reduce((sum, tokens) => sum + tokens, 0);
  const owed = second.executed.dispatched.size;
  expect(owed).toBeGreaterThan(0);

  await cloud.engine.retry(first.record.id, { budget: { tokens: spent } });
  const third = await cloud.execute({ ...second.record, round: 3 });
  expect(third.executed.dispatched.size).toBe(0);
  expect(third.record).toMatchObject({ round: 3, stats: second.record.stats });

  await cloud.engine.retry(first.record.id, { budget: { tokens: spent + 1 } });
  const fourth = await cloud.execute({ ...third.record, round: 4 });
  expect(fourth.executed.dispatched.size).toBeGreaterThan(0);
});

test("a budget stops runners and shards alike, and a larger one goes on in a new round", async () => {
  const budget = { tokens: 700 };
  const cloud = await evaluateInCloud(doubles(60, { concurrency: CONCURRENCY, budget }));
  const { record, executed } = await cloud.run();
  expect(record).toMatchObject({ status: "cancelled", budget, deadline: null });
  const entries = await Array.fromAsync(cloud.store.entries(record.id));
  const spent = entries.reduce((sum, { usage }) => sum + (usage === null ? 0 : totalTokens(usage)), 0);
  expect(spent).toBeGreaterThanOrEqual(budget.tokens);
  expect(spent).toBeLessThan(budget.tokens + CONCURRENCY * MOST_TOKENS_PER_RUN);
  const rows = await Array.fromAsync(cloud.store.verdictRows(record.id));
  const verdicts = rows.map((row) => row.verdicts).join("");
  expect([verdicts.length, verdicts.includes(VERDICT.missing)]).toEqual([240, false]);
  // Once a gate is closed the runs behind it are not even dispatched.
  expect(executed.dispatched.size).toBeLessThan(120);

  const again = await cloud.engine.retry(record.id, { budget: { tokens: 1_000_000 } });
  expect(again).toMatchObject({ status: "running", round: 2, budget: { tokens: 1_000_000 } });
  const whole = await cloud.retry(record);
  expect(whole.record.status).toBe("finished");
  for (const stats of Object.values(whole.record.stats ?? {})) {
    expect([stats.finished, stats.failuresByFault.stopped]).toEqual([120, 0]);
  }
});
