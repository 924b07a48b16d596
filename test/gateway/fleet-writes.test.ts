import { afterAll, beforeAll, expect, test } from "vitest";
import type { Clock } from "../../src/domain/clock.ts";
import { Gateway } from "../../src/gateway/gateway.ts";
import type { ChatReply } from "../../src/providers/provider.ts";
import { dynamoStore } from "../../src/store/dynamo/dynamo-store.ts";
import { type AwsServers, startAwsServers } from "../fixtures/aws/aws-servers.ts";
import { countWrites } from "../fixtures/aws/count-writes.ts";
import { seeded } from "../fixtures/cloud/simulate-shards.ts";

let servers: AwsServers;
beforeAll(async () => {
  servers = await startAwsServers();
});
afterAll(() => servers.stop());

const REPLY: ChatReply = { content: "Lima", toolCalls: [], usage: null, finishReason: "stop", id: null };

/** Goes on by so much with every call, and at once where somebody sleeps; nobody waits for a table that answers. */
function aSteadyClock(): Clock & { pass(ms: number): void } {
  let nowMs = 0;
  return {
    now: () => new Date(Date.UTC(2026, 0, 1) + nowMs),
    monotonicMs: () => nowMs,
    sleep: (ms, signal) => {
      if (signal !== undefined && ms >= 5_000) return new Promise(() => {});
      nowMs += Math.max(0, ms);
      return Promise.resolve();
    },
    pass: (ms) => {
      nowMs += ms;
    },
  };
}

const GATEWAYS = 50;

/** Fifty environments with a table of their own connection each; 100 calls a second, of which the last so many count. */
async function writesPerCall(
  providerKey: string,
  calls: number,
  counted: number,
): Promise<readonly [first: number, steady: number]> {
  const place = { ...servers, table: await servers.createTable(), bucket: "bodies" };
  const clock = aSteadyClock();
  const gateways = Array.from({ length: GATEWAYS }, (_, number) => {
    const { fleetLimits: fleet } = dynamoStore(place);
    return new Gateway({
      ...{ clock, fleet, random: seeded(number) },
      factory: () => ({ generate: async () => REPLY }),
    });
  });
  const count = countWrites(servers.dynamo, "limiter#");
  const call = {
    ...{ providerKey, request: { model: "m", messages: [] }, signal: new AbortController().signal },
    ...{ waitLeftMs: () => 600_000, onWaiting: () => {} },
  };
  let before = 0;
  for (let number = 0; number < calls; number++) {
    if (number === calls - counted) before = count.writes;
    expect(await gateways[number % GATEWAYS]?.call(call)).toMatchObject({ kind: "answered" });
    clock.pass(10);
  }
  return [before, (count.writes - before) / counted];
}

test("at a steady rate a model call costs a tenth of a write to the limit that all share, and less", async () => {
  const [first, steady] = await writesPerCall("openai", 1_800, 600);
  expect(first).toBeGreaterThan(500);
  expect(steady).toBeLessThanOrEqual(0.1);
});

test("what answers in the same process writes to no limit", async () => {
  expect(await writesPerCall("scripted", 20, 20)).toEqual([0, 0]);
});
