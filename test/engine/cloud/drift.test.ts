import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { withDurableExecution } from "@aws/durable-execution-sdk-js";
import { LocalDurableTestRunner } from "@aws/durable-execution-sdk-js-testing";
import { SNSClient } from "@aws-sdk/client-sns";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { EvaluationId } from "../../../src/domain/ids.ts";
import { type Drift, DriftAlarm } from "../../../src/domain/stats/drift.ts";
import { aggregate, raiseAlarm } from "../../../src/engine/cloud/aggregate.ts";
import { type EvaluationEnd, evaluationWorkflow } from "../../../src/engine/cloud/evaluation-workflow.ts";
import { AlarmEvent } from "../../../src/engine/cloud/events.ts";
import { topicSender } from "../../../src/engine/cloud/publish.ts";
import { webhookSender } from "../../../src/engine/drift.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { aBody } from "../../fixtures/records/a-log-entry.ts";
import { aPlan } from "../../fixtures/records/a-plan.ts";

const TOPIC = "arn:aws:sns:eu-central-1:123456789012:Drift";

let server: Server;
let sns: SNSClient;
let isBroken = false;
let hookUrl: string;
let hookAnswers: number[] = [];
const published: URLSearchParams[] = [];
const posted: string[] = [];

beforeAll(async () => {
  await LocalDurableTestRunner.setupTestEnvironment({ skipTime: false });
  server = createServer(async (request, response) => {
    if (request.url?.startsWith("/hooks/")) {
      posted.push(await text(request));
      return void response.writeHead(hookAnswers.shift() ?? 204).end();
    }
    published.push(new URLSearchParams(await text(request)));
    response.writeHead(isBroken ? 403 : 200, { "content-type": "text/xml" });
    response.end(
      "<PublishResponse><PublishResult><MessageId>1</MessageId></PublishResult></PublishResponse>",
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  hookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/secret-path`;
  sns = new SNSClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: "eu-central-1",
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
    maxAttempts: 1,
  });
});
beforeEach(() => {
  published.length = 0;
  posted.length = 0;
  hookAnswers = [];
  isBroken = false;
});
afterAll(async () => {
  await LocalDurableTestRunner.teardownTestEnvironment();
  sns.destroy();
  server.close();
});

const WEBHOOK = "ALARM_URL";
const sleep = async () => {};
const RESULT = { finished: 160, failed: 0, missing: 0 };

/** Two executions of forty problems, of which the second has so many wrong; what the second one's end tells. */
async function endSecond(wrong: number, drift: Drift, die: (delivery: number) => boolean = () => false) {
  const store = memoryStore();
  const warnings: string[] = [];
  const plan = aPlan(40);
  const parts = { store, clock: systemClock };
  const sendersFor = (webhook: string | undefined) => [
    topicSender(sns, TOPIC),
    ...(webhook === undefined
      ? []
      : [webhookSender({ variable: webhook, variables: { [WEBHOOK]: hookUrl }, sleep })]),
  ];
  let alarms = 0;
  const aggregator = async (event: unknown): Promise<unknown> => {
    if (!AlarmEvent.safeParse(event).success) return aggregate(parts, event);
    const warn = (message: string) => void warnings.push(message);
    if (die(++alarms)) throw new Error("Runtime exited with error: signal: killed");
    await raiseAlarm({ store, warn, sendersFor }, event);
    return null;
  };
  const answers: unknown[] = [];
  for (const [number, errors] of [0, wrong].entries()) {
    const evaluationId = EvaluationId.parse(`drift-${number}`);
    const startedAt = new Date(Date.UTC(2026, 0, 1 + number)).toISOString();
    const record = { ...plan.record, id: evaluationId, startedAt, status: "running" as const, endedAt: null };
    await store.createEvaluation({ ...record, ...(number === 1 ? { drift } : {}) }, plan.problems);
    const missed = new Set(plan.problems.slice(0, errors).map(({ id }) => id));
    const shard = async () => {
      for (const run of plan.runs) {
        const correct = !missed.has(run.problem.id);
        await store.saveEntry({ ...plan.entry(run.index, { correct }), evaluationId }, aBody());
      }
    };
    const workflow = new LocalDurableTestRunner<EvaluationEnd>({
      handlerFunction: withDurableExecution(
        evaluationWorkflow({
          ...{ ...parts, shard: "shard", aggregator: "aggregator" },
          ...{ retryDelaySeconds: 1, longestRunSeconds: 1 },
        }),
      ),
    });
    workflow.registerFunction("shard", shard).registerFunction("aggregator", aggregator);
    const execution = await workflow.run({ payload: { v: 1, evaluationId, round: 1 } });
    answers.push(execution.getResult());
  }
  return { warnings, answers, alarms };
}

const told = () => DriftAlarm.parse(JSON.parse(published[0]?.get("Message") ?? ""));

test("an evaluation that ends worse than the last one is published once", async () => {
  const { warnings, answers, alarms } = await endSecond(20, { last: 3 });
  expect(answers).toMatchObject([RESULT, RESULT]);
  expect(published.map((message) => [message.get("Action"), message.get("TopicArn")])).toEqual([
    ["Publish", TOPIC],
  ]);
  expect(told()).toMatchObject({ evaluation: "drift-1", against: ["drift-0"] });
  expect(told().findings[0]).toMatchObject({ measure: "accuracy" });
  expect([warnings, alarms]).toEqual([[told().text], 1]);
});

test("an alarm whose invocation dies is raised again, and the end is not", async () => {
  const { answers, alarms } = await endSecond(20, { last: 3 }, (delivery) => delivery === 1);
  expect(answers).toMatchObject([RESULT, RESULT]);
  expect([published.length, alarms]).toEqual([1, 2]);
});

test("one that is as good as before is not", async () => {
  expect((await endSecond(0, { last: 3 })).warnings).toEqual([]);
  expect(published).toEqual([]);
});

test("a topic that refuses is a warning, and the evaluation has ended all the same", async () => {
  isBroken = true;
  const { warnings, answers } = await endSecond(20, { last: 1 });
  expect(answers).toMatchObject([RESULT, RESULT]);
  expect(warnings[1]).toMatch(/^the alarm could not be sent to the topic arn:aws:sns:.*:Drift/);
});

test("a webhook is told beside the topic, and asked again when it stumbles", async () => {
  hookAnswers = [503, 204];
  const { warnings } = await endSecond(20, { last: 1, webhook: WEBHOOK });
  expect(published).toHaveLength(1);
  expect(posted.map((body) => DriftAlarm.parse(JSON.parse(body)))).toEqual([told(), told()]);
  expect(warnings).toEqual([told().text]);
});

test("what a webhook is called, and not where it is, is in the warning that it refused", async () => {
  hookAnswers = [400];
  const { warnings } = await endSecond(20, { last: 1, webhook: WEBHOOK });
  expect(posted).toHaveLength(1);
  expect(warnings[1]).toBe(
    "drift.webhook: the URL in ALARM_URL answered 400; the alarm may have reached nobody",
  );
});
