import { LocalDurableTestRunner } from "@aws/durable-execution-sdk-js-testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import type { RunEvent } from "../../../src/engine/cloud/events.ts";
import { dynamoStore } from "../../../src/store/dynamo/dynamo-store.ts";
import { type AwsServers, startAwsServers } from "../../fixtures/aws/aws-servers.ts";
import { evaluateInCloud } from "../../fixtures/cloud/evaluate-in-cloud.ts";
import { aBody, aLogEntry, problemPart } from "../../fixtures/records/a-log-entry.ts";
import { doubles } from "../../fixtures/run/doubling-evaluation.ts";
import { evaluateSteadily } from "../../fixtures/run/evaluate-steadily.ts";
import { aDynamoPlace } from "../../store/dynamo/a-dynamo-place.ts";

let servers: AwsServers;
beforeAll(async () => {
  await LocalDurableTestRunner.setupTestEnvironment({ skipTime: false });
  servers = await startAwsServers();
});
afterAll(async () => {
  await LocalDurableTestRunner.teardownTestEnvironment();
  await servers.stop();
});

const OPTIONS = doubles(3, { concurrency: 1 });

/** Runs twelve runs on a table to which somebody else writes as well, who knows no key. */
async function runInCloud(
  attack: (event: RunEvent, write: (changes: Partial<LogEntry>) => Promise<unknown>) => unknown,
) {
  const place = await aDynamoPlace(servers);
  const cloud = await evaluateInCloud(OPTIONS, dynamoStore(place));
  const ended = await cloud.run({
    deliveries: ({ run }) => (run === 4 ? 2 : 1),
    onRun: async (event) => {
      const write = async (changes: Partial<LogEntry>) => {
        const position = Math.floor((changes.index ?? 0) / 4);
        const [problem] = await Array.fromAsync(
          cloud.store.problems(event.evaluationId, { from: position, to: position + 1 }),
        );
        if (problem === undefined) throw new Error("no problem");
        const { evaluationId } = event;
        return dynamoStore(place).saveEntry(
          aLogEntry({ evaluationId, reason: "forged", ...problemPart(problem), ...changes }),
          aBody(),
        );
      };
      await attack(event, write);
    },
  });
  // As the API reads it, which knows no key either.
  const entries = await Array.fromAsync(dynamoStore(place).entries(ended.record.id));
  return { cloud, ...ended, entries };
}

test("entries that no runner wrote are taken out, counted and told, and what runners found counts", async () => {
  const { record, entries } = await runInCloud(async ({ run }, write) => {
    if (run !== 0) return;
    await write({ index: 0 });
    await write({ index: 7 });
    await write({ index: 0, round: 5 });
  });
  expect(record).toMatchObject({
    status: "finished",
    foreignEntries: 3,
    stats: await evaluateSteadily(OPTIONS),
  });
  expect(entries).toHaveLength(12);
  expect(entries.filter(({ reason }) => reason === "forged")).toEqual([]);
  expect(entries.filter(({ wasForged }) => wasForged).map(({ index }) => index)).toEqual([0, 7]);
});

test("what is delivered twice, and another round, find nothing foreign", async () => {
  const { cloud, record, entries } = await runInCloud(() => {});
  expect(record).not.toHaveProperty("foreignEntries");
  expect(record.stats).toEqual(await evaluateSteadily(OPTIONS));
  const again = await cloud.retry(record);
  expect(again.record).toMatchObject({ round: 2, status: "finished" });
  expect(again.record).not.toHaveProperty("foreignEntries");
  expect(entries).toHaveLength(12);
});
