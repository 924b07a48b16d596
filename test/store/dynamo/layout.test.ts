import { PutItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ProblemId } from "../../../src/domain/ids.ts";
import { foldShard } from "../../../src/domain/stats/shard-stats.ts";
import { dynamoStore } from "../../../src/store/dynamo/dynamo-store.ts";
import { collect } from "../../contract/store/collect.ts";
import { type AwsServers, startAwsServers } from "../../fixtures/aws/aws-servers.ts";
import { aBody, aLogEntry, anEvaluation, aProblem } from "../../fixtures/records/a-log-entry.ts";
import { aPlan } from "../../fixtures/records/a-plan.ts";
import { printed } from "../../fixtures/records/captured-output.ts";
import { aDynamoPlace } from "./a-dynamo-place.ts";

const { id } = anEvaluation();
const spoken = aBody({ stdout: printed("hello") });

let servers: AwsServers;
beforeAll(async () => {
  servers = await startAwsServers();
});
afterAll(() => servers.stop());

test("problems of every size come back, and no item is near the limit of 400 KB", async () => {
  const place = await aDynamoPlace(servers);
  const store = dynamoStore(place);
  const sizes = [...Array<number>(48).fill(8_000), 1_000_000, 8_100, 8_200, 10];
  const problems = sizes.map((size, number) =>
    aProblem({ id: ProblemId.parse(`p${number}`), problem: "é".repeat(size / 2) }),
  );
  await store.createEvaluation(anEvaluation({ problemCount: problems.length }), problems);
  expect(await collect(store.problems(id))).toEqual(problems);
  expect(await collect(store.problems(id, { from: 48, to: 49 }))).toEqual(problems.slice(48, 49));
  const { Items = [] } = await place.dynamo.send(new ScanCommand({ TableName: place.table }));
  const largest = Math.max(...Items.map((item) => Buffer.byteLength(JSON.stringify(item))));
  expect(largest).toBeLessThan(200_000);
});

test("each item says what it is, and a claim when it may vanish", async () => {
  const place = await aDynamoPlace(servers);
  const store = dynamoStore(place);
  await store.createEvaluation(anEvaluation(), [aProblem()]);
  await store.saveEntry(aLogEntry(), spoken);
  await store.requestCancel(id, 1);
  const expiresAt = new Date("2026-01-01T00:00:00.500Z");
  await store.claimRequest({ key: "k", fingerprint: "f", evaluationId: id, expiresAt }, new Date(0));
  const { Items = [] } = await place.dynamo.send(new ScanCommand({ TableName: place.table }));
  expect(Items.map(({ entity }) => entity?.S).sort()).toEqual([
    "cancel",
    "claim",
    "entry",
    "evaluation",
    "problems",
    "progress",
  ]);
  expect(Items.every(({ v }) => v?.N === "1")).toBe(true);
  const expiring = Items.filter((item) => "expiresAt" in item);
  expect(expiring.map((item) => item.expiresAt?.N)).toEqual([String(Date.UTC(2026, 0, 1) / 1_000 + 1)]);
});

test("the row of a shard that is added up is not counted again from its entries", async () => {
  const plan = aPlan(400);
  const place = await aDynamoPlace(servers);
  const store = dynamoStore(place);
  await store.createEvaluation(plan.record, plan.problems);
  for (const index of [0, 600, 1_100]) await store.saveEntry(plan.entry(index), aBody());
  const shard = { evaluationId: plan.record.id, shard: 1, from: 500, to: 1_000 };
  const wrong = plan.entry(600, { correct: false });
  await store.saveShardStats(foldShard({ ...shard, round: 1 }, [wrong]));
  const verdicts = async () => {
    const rows = await collect(store.verdictRows(plan.record.id));
    expect(rows.map(({ from }) => from)).toEqual([0, 500, 1_000, 1_500]);
    const all = rows.map((row) => row.verdicts).join("");
    expect(all).toHaveLength(1_600);
    return [0, 600, 1_100].map((index) => all[index]);
  };
  expect(await verdicts()).toEqual(["+", "-", "+"]);
  await store.updateEvaluation({ ...plan.record, round: 2 });
  expect(await verdicts()).toEqual(["+", "+", "+"]);
});

test("what an earlier release counted in one item is part of what is spent", async () => {
  const place = await aDynamoPlace(servers);
  const Item = {
    ...{ pk: { S: `evaluation#${id}#spend` }, sk: { S: "spend" }, entity: { S: "spend" }, v: { N: "1" } },
    ...{ nanoUsd: { N: "500" }, tokens: { N: "70" } },
  };
  await place.dynamo.send(new PutItemCommand({ TableName: place.table, Item }));
  const store = dynamoStore(place);
  for (let run = 0; run < 20; run++) await store.addSpend(id, { nanoUsd: 5, tokens: 1 }, run);
  expect(await store.spent(id)).toEqual({ nanoUsd: 600, tokens: 90 });
});

test("saving an entry costs one put, one update and no read but the first", async () => {
  const place = await aDynamoPlace(servers);
  const store = dynamoStore(place);
  await store.createEvaluation(anEvaluation(), [aProblem()]);
  await store.saveEntry(aLogEntry(), spoken);
  const sent: string[] = [];
  place.dynamo.middlewareStack.add((next, context) => (args) => {
    sent.push(String(context.commandName));
    return next(args);
  });
  await store.saveEntry(aLogEntry({ index: 1 }), spoken);
  expect(sent).toEqual(["PutItemCommand", "UpdateItemCommand"]);
});
