import { LocalDurableTestRunner } from "@aws/durable-execution-sdk-js-testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { totalTokens } from "../../../src/domain/usage.ts";
import { VERDICT } from "../../../src/domain/verdict.ts";
import { doubles } from "../../fixtures/doubles.ts";
import { evaluateInCloud } from "../../fixtures/evaluate-in-cloud.ts";

beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: false }));
afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());

const [CONCURRENCY, MOST_TOKENS_PER_RUN] = [10, 14];

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
}, 60_000);
