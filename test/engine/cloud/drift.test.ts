import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SNSClient } from "@aws-sdk/client-sns";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Drift, DriftAlarm } from "../../../src/domain/drift.ts";
import { EvaluationId } from "../../../src/domain/ids.ts";
import { aggregate } from "../../../src/engine/cloud/aggregate.ts";
import { topicSender } from "../../../src/engine/cloud/topic-sender.ts";
import { systemClock } from "../../../src/engine/system-clock.ts";
import { tellDrift } from "../../../src/engine/tell-drift.ts";
import { memoryStore } from "../../../src/store/memory-store.ts";
import { aBody } from "../../fixtures/a-log-entry.ts";
import { aPlan } from "../../fixtures/a-plan.ts";

const TOPIC = "arn:aws:sns:eu-central-1:123456789012:Drift";

let server: Server;
let sns: SNSClient;
let isBroken = false;
const published: URLSearchParams[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    published.push(new URLSearchParams(await text(request)));
    response.writeHead(isBroken ? 403 : 200, { "content-type": "text/xml" });
    response.end(
      "<PublishResponse><PublishResult><MessageId>1</MessageId></PublishResult></PublishResponse>",
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  sns = new SNSClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: "eu-central-1",
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
    maxAttempts: 1,
  });
});
beforeEach(() => {
  published.length = 0;
  isBroken = false;
});
afterAll(() => {
  sns.destroy();
  server.close();
});

/** Two executions of forty problems, of which the second has so many wrong; what the second one's end tells. */
async function endSecond(wrong: number, drift: Drift) {
  const store = memoryStore();
  const warnings: string[] = [];
  const plan = aPlan(40);
  const onEnd = (record: typeof plan.record) =>
    tellDrift(
      { store, drift, senders: [topicSender(sns, TOPIC)], warn: (message) => void warnings.push(message) },
      record,
    );
  for (const [number, errors] of [0, wrong].entries()) {
    const evaluationId = EvaluationId.parse(`drift-${number}`);
    const startedAt = new Date(Date.UTC(2026, 0, 1 + number)).toISOString();
    const record = { ...plan.record, id: evaluationId, startedAt, status: "running" as const, endedAt: null };
    await store.createEvaluation(record, plan.problems);
    const missed = new Set(plan.problems.slice(0, errors).map(({ id }) => id));
    const runs = record.models.length * record.trials * record.problemCount;
    for (let index = 0; index < runs; index++) {
      const correct = !missed.has(plan.entry(index).problemId);
      await store.saveEntry({ ...plan.entry(index, { correct }), evaluationId }, aBody());
    }
    const event = { v: 1, evaluationId, round: 1, shard: null };
    await aggregate({ store, clock: systemClock, ...(number === 1 ? { onEnd } : {}) }, event);
    await aggregate({ store, clock: systemClock, ...(number === 1 ? { onEnd } : {}) }, event);
  }
  return warnings;
}

test("an evaluation that ends worse than the last one is published once, however often its end is told", async () => {
  const warnings = await endSecond(20, { last: 3 });
  expect(published.map((message) => [message.get("Action"), message.get("TopicArn")])).toEqual([
    ["Publish", TOPIC],
  ]);
  const alarm = DriftAlarm.parse(JSON.parse(published[0]?.get("Message") ?? ""));
  expect(alarm).toMatchObject({ evaluation: "drift-1", against: ["drift-0"] });
  expect(alarm.findings[0]).toMatchObject({ measure: "accuracy" });
  expect(warnings).toEqual([alarm.text]);
});

test("one that is as good as before is not", async () => {
  expect(await endSecond(0, { last: 3 })).toEqual([]);
  expect(published).toEqual([]);
});

test("a topic that refuses is a warning, and the evaluation has ended all the same", async () => {
  isBroken = true;
  const warnings = await endSecond(20, { last: 1 });
  expect(warnings[1]).toMatch(/^the topic arn:aws:sns:.*:Drift did not take the alarm/);
});
