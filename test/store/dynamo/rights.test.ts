import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NO_SPEND } from "../../../src/domain/budget.ts";
import { foldShard } from "../../../src/domain/stats/shard-stats.ts";
import { dynamoStore } from "../../../src/store/dynamo/dynamo-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { type Grant, PERMISSIONS } from "../../../stacks/permissions.ts";
import { collect } from "../../contract/store/collect.ts";
import { type AwsServers, startAwsServers } from "../../fixtures/aws/aws-servers.ts";
import { isAbout } from "../../fixtures/aws/grant-allows.ts";
import { aBody } from "../../fixtures/records/a-log-entry.ts";
import { aPlan, aRange } from "../../fixtures/records/a-plan.ts";
import { printed } from "../../fixtures/records/captured-output.ts";

/** One request as IAM sees it. */
interface Use {
  readonly action: string;
  readonly on: Grant["on"];
  readonly key: string;
}

const plan = aPlan(40);
const { record } = plan;
const large = "x".repeat(20_000);
const problems = plan.problems.map((problem, position) =>
  position === 0 ? { ...problem, problem: large } : problem,
);

let servers: AwsServers;
beforeAll(async () => {
  servers = await startAwsServers();
});
afterAll(() => servers.stop());

test("what a function asks of the store is within its rights", async () => {
  const uses: Use[] = [];
  watch(servers.dynamo, servers.s3, uses);
  const place = {
    dynamo: servers.dynamo,
    s3: servers.s3,
    table: await servers.createTable(),
    bucket: "bodies",
  };
  const doing = async (row: keyof typeof PERMISSIONS, work: (store: Store) => Promise<unknown>) => {
    uses.length = 0;
    await work(dynamoStore(place));
    const outside = uses.filter((use) => !PERMISSIONS[row].some((grant: Grant) => allows(grant, use)));
    expect({ row, outside }).toEqual({ row, outside: [] });
    expect(uses.length).toBeGreaterThan(0);
  };

  await doing("Api", async (store) => {
    await store.createEvaluation(record, problems);
    const expiresAt = new Date(Date.now() + 60_000);
    await store.claimRequest({ key: "k", fingerprint: "f", evaluationId: record.id, expiresAt }, new Date());
    await store.updateEvaluation(record);
  });
  await doing("Schedule", async (store) => {
    expect(await store.createEvaluation(record, problems)).toBe("already-there");
    await store.findEvaluation(record.id);
  });
  await doing("Runner", async (store) => {
    await store.findEvaluation(record.id);
    await collect(store.problems(record.id, { from: 0, to: 1 }));
    await store.isCancelRequested(record.id, 1);
    const entry = plan.entry(0, { problem: large });
    await store.hasEntry(entry);
    expect(await store.saveEntry(entry, aBody({ stdout: printed("hello") }))).toBe("saved");
    const lease = await store.fleetLimits.lease("openai", 1, 0);
    expect((await store.fleetLimits.find("openai"))?.episode).toBe(0);
    await store.fleetLimits.cut("openai", { ...lease, waitMs: null }, 0);
    await store.addSpend(record.id, { nanoUsd: 100, tokens: 7 }, 1);
    await store.spent(record.id);
    // What a result that is checked again asks for.
    const [stored] = await collect(store.entries(record.id, { fromIndex: 0, toIndex: 1 }));
    expect(await store.readBody(record.id, entry.runId, 1, stored?.index)).not.toBeNull();
  });
  await doing("Shard", async (store) => {
    await store.findEvaluation(record.id);
    await store.isCancelRequested(record.id, 1);
    await store.spent(record.id);
    await store.saveRange(aRange({ from: 1, to: 9 }));
    await collect(store.entries(record.id, { fromIndex: 0, toIndex: 9 }));
    // What a grown evaluation takes over.
    const body = await store.readBody(record.id, plan.entry(0).runId, 1, 0);
    expect(body?.stdout.head).toBe("hello");
    expect(await store.saveEntry(plan.entry(12), body ?? aBody())).toBe("saved");
    await dynamoStore(place).saveEntry(plan.entry(13), aBody());
    store.learnSeal(record.id, { round: 1, key: "13 has none" });
    expect(await store.removeForeign(record.id, { from: 13, to: 14 })).toHaveLength(1);
  });
  await doing("Orchestrator", async (store) => {
    await store.findEvaluation(record.id);
    await collect(store.entries(record.id, { fromIndex: 0, toIndex: 9 }));
    await store.saveRange(aRange({ from: 10, to: 11 }));
    await collect(store.shardStats(record.id));
  });
  await doing("Aggregator", async (store) => {
    await store.findEvaluation(record.id);
    await store.isCancelRequested(record.id, 1);
    const entries = await collect(store.entries(record.id));
    const shard = { evaluationId: record.id, shard: 0, round: 1, from: 0, to: 160 };
    await store.saveShardStats(foldShard(shard, entries));
    await collect(store.shardStats(record.id));
    await store.updateEvaluation(record);
    await store.listEvaluations({ name: record.name, status: "finished" });
    await store.pageEvaluations({ status: "running" }, { limit: 10 });
  });
  await doing("Api", async (store) => {
    await store.listEvaluations();
    await store.listEvaluations({ name: record.name });
    await store.pageEntries(record.id, {}, { limit: 10 });
    await collect(store.verdictRows(record.id));
    expect(await store.rounds(record.id, plan.entry(0).runId)).toHaveLength(1);
    expect((await store.readBody(record.id, plan.entry(0).runId, 1))?.stdout.head).toBe("hello");
    expect(await store.progress(record.id)).toMatchObject({ finished: 3 });
    await store.spent(record.id);
    await store.addSpend(record.id, NO_SPEND, 0);
    await store.requestCancel(record.id, 1);
  });
});

/** Both clients tell what they are about to send. */
function watch(dynamo: DynamoDBClient, s3: S3Client, uses: Use[]): void {
  dynamo.middlewareStack.add((next, context) => (args) => {
    uses.push(...dynamoUses(String(context.commandName), args.input));
    return next(args);
  });
  s3.middlewareStack.add((next, context) => (args) => {
    const key = "Key" in args.input ? String(args.input.Key) : "";
    const on = key.startsWith("problems/") ? "problems" : "bodies";
    uses.push({ action: `s3:${nameOf(String(context.commandName))}`, on, key });
    return next(args);
  });
}

function dynamoUses(command: string, input: object): Use[] {
  const { RequestItems } = input as { RequestItems?: Record<string, { Keys: object[] }> };
  const keys = Object.values(RequestItems ?? {}).flatMap(({ Keys }) => Keys);
  if (keys.length > 0) return keys.map((Key) => dynamoUse(command, { Key }));
  return [dynamoUse(command, input)];
}

function dynamoUse(command: string, input: object): Use {
  const { Key, Item, IndexName, ExpressionAttributeValues } = input as Record<
    string,
    Record<string, { S?: string } | undefined> | undefined
  >;
  const values = ExpressionAttributeValues ?? {};
  const key = (Key ?? Item)?.pk?.S ?? values[":pk"]?.S ?? values[":hash"]?.S ?? "";
  return { action: `dynamodb:${nameOf(command)}`, on: IndexName === undefined ? "table" : "indexes", key };
}

const nameOf = (command: string): string => command.replace(/Command$/, "");

const allows = (grant: Grant, use: Use): boolean =>
  grant.actions.includes(use.action) && grant.on === use.on && isAbout(grant, use.key);
