import { expect, test } from "vitest";
import type { FleetLimits } from "../../src/domain/fleet-limit.ts";
import { Gateway, type GatewayCall } from "../../src/gateway/gateway.ts";
import { type ChatReply, ProviderError } from "../../src/providers/provider.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { seeded } from "../fixtures/cloud/simulate-shards.ts";
import { FakeClock } from "../fixtures/gateway/fake-clock.ts";
import { TokenBucket } from "../fixtures/gateway/token-bucket.ts";

const REPLY: ChatReply = { content: "Lima", toolCalls: [], usage: null, finishReason: "stop", id: null };

const aCall = (changes: Partial<GatewayCall> = {}): GatewayCall => ({
  providerKey: "openai",
  request: { model: "m", messages: [] },
  signal: new AbortController().signal,
  waitLeftMs: () => 600_000,
  onWaiting: () => {},
  ...changes,
});

/** A gateway to a provider that takes what its bucket has; each call takes a while. */
function aGateway(clock: FakeClock, bucket: TokenBucket, fleet: FleetLimits, random = seeded(1)): Gateway {
  const generate = async () => {
    const isTaken = bucket.isTaken();
    await clock.sleep(isTaken ? 200 + 400 * random() : 20);
    if (!isTaken) throw new ProviderError("rate_limited", "too many", { retryable: true });
    return REPLY;
  };
  return new Gateway({ factory: () => ({ generate }), clock, random, fleet });
}

test("gateways that share a limit use the provider well and are hardly refused", async () => {
  const clock = new FakeClock();
  const bucket = new TokenBucket(30, 15, () => clock.monotonicMs());
  const { fleetLimits } = memoryStore();
  const work = async (number: number) => {
    const gateway = aGateway(clock, bucket, fleetLimits, seeded(number));
    while (clock.monotonicMs() < 60_000)
      expect(await gateway.call(aCall())).toMatchObject({ kind: "answered" });
  };
  await clock.run(Promise.all(Array.from({ length: 60 }, (_, number) => work(number))));
  expect(bucket.counts.answered / (30 * 60)).toBeGreaterThanOrEqual(0.9);
  expect(bucket.refused).toBeLessThanOrEqual(0.02);
});

test("calls that come together ask for their turns together", async () => {
  const clock = new FakeClock();
  const { fleetLimits } = memoryStore();
  const asked: number[] = [];
  const counting: FleetLimits = {
    lease: (key, calls, nowMs) => {
      asked.push(calls);
      return fleetLimits.lease(key, calls, nowMs);
    },
    find: (key) => fleetLimits.find(key),
    cut: (key, refusal, nowMs) => fleetLimits.cut(key, refusal, nowMs),
  };
  const gateway = aGateway(clock, new TokenBucket(100, 100, () => clock.monotonicMs()), counting);
  await clock.run(Promise.all(Array.from({ length: 9 }, () => gateway.call(aCall()))));
  expect(asked).toEqual([9]);
});

test("while the others cannot be asked a gateway goes by its own limit, and asks again later", async () => {
  const clock = new FakeClock();
  const told: (number | null)[] = [];
  let asked = 0;
  const unreachable = async () => {
    asked++;
    throw new Error("no table");
  };
  let sent = 0;
  const generate = async () => {
    const isRefused = ++sent === 1;
    await clock.sleep(20);
    if (isRefused) throw new ProviderError("rate_limited", "too many", { retryable: true });
    return REPLY;
  };
  const gateway = new Gateway({
    ...{ factory: () => ({ generate }), clock, random: () => 1 },
    onLimit: (_, calls) => void told.push(calls),
    fleet: { lease: unreachable, find: unreachable, cut: unreachable },
  });
  const work = async () => {
    const sents = await Promise.all(Array.from({ length: 10 }, () => gateway.call(aCall())));
    expect(sents.map(({ kind }) => kind)).toEqual(Array(10).fill("answered"));
    expect([asked, told[0]]).toEqual([1, 8]);
    await clock.sleep(10_000);
    await gateway.call(aCall());
    expect(asked).toBe(2);
  };
  await clock.run(work());
});

test("a shared limit that never answers holds a call up for five seconds, and the next not at all", async () => {
  const clock = new FakeClock();
  const never = () => new Promise<never>(() => {});
  const bucket = new TokenBucket(100, 100, () => clock.monotonicMs());
  const gateway = aGateway(clock, bucket, { lease: never, find: never, cut: never });
  const work = async () => {
    await gateway.call(aCall());
    const firstMs = clock.monotonicMs();
    await gateway.call(aCall());
    return [firstMs, clock.monotonicMs() - firstMs] as const;
  };
  const [first, second] = await clock.run(work());
  expect(first).toBeGreaterThanOrEqual(5_000);
  expect(second).toBeLessThan(1_000);
});

test("gateways whose table is gone keep the pace they had, and are no storm", async () => {
  const clock = new FakeClock();
  const bucket = new TokenBucket(10, 10, () => clock.monotonicMs());
  const { fleetLimits } = memoryStore();
  const isGone = () => clock.monotonicMs() > 60_000;
  const gone = async () => {
    throw new Error("no table");
  };
  const failing: FleetLimits = {
    lease: (key, calls, nowMs) => (isGone() ? gone() : fleetLimits.lease(key, calls, nowMs)),
    find: (key) => (isGone() ? gone() : fleetLimits.find(key)),
    cut: (key, refusal, nowMs) => (isGone() ? gone() : fleetLimits.cut(key, refusal, nowMs)),
  };
  let before = { answered: 0, refused: 0 };
  const work = async (number: number) => {
    const gateway = aGateway(clock, bucket, failing, seeded(number));
    while (clock.monotonicMs() < 120_000) {
      await gateway.call(aCall());
      if (!isGone()) before = { ...bucket.counts };
    }
  };
  await clock.run(Promise.all(Array.from({ length: 60 }, (_, number) => work(number))));
  const answered = bucket.counts.answered - before.answered;
  const refused = bucket.counts.refused - before.refused;
  expect(answered / (10 * 60)).toBeGreaterThanOrEqual(0.8);
  expect(refused / (answered + refused)).toBeLessThanOrEqual(0.2);
});

test("gateways that never reached their table find a pace by themselves", async () => {
  const clock = new FakeClock();
  const bucket = new TokenBucket(10, 10, () => clock.monotonicMs());
  const gone = async () => {
    throw new Error("no table");
  };
  const work = async (number: number) => {
    const gateway = aGateway(clock, bucket, { lease: gone, find: gone, cut: gone }, seeded(number));
    while (clock.monotonicMs() < 180_000) await gateway.call(aCall());
  };
  await clock.run(Promise.all(Array.from({ length: 60 }, (_, number) => work(number))));
  expect(bucket.counts.answered / (10 * 180)).toBeGreaterThanOrEqual(0.8);
  expect(bucket.refused).toBeLessThanOrEqual(0.35);
});

test("turns that a slow table made late are not used all at once", async () => {
  const clock = new FakeClock();
  const { fleetLimits } = memoryStore();
  const slow: FleetLimits = {
    lease: async (key, calls, nowMs) => {
      await clock.sleep(4_000);
      return fleetLimits.lease(key, calls, nowMs);
    },
    find: (key) => fleetLimits.find(key),
    cut: (key, refusal, nowMs) => fleetLimits.cut(key, refusal, nowMs),
  };
  const bucket = new TokenBucket(10, 5, () => clock.monotonicMs());
  const call = (number: number) => aGateway(clock, bucket, slow, seeded(number)).call(aCall());
  await clock.run(Promise.all(Array.from({ length: 20 }, (_, number) => call(number))));
  expect(bucket.counts.refused).toBeLessThanOrEqual(3);
});

test("a wait for the others is told of, and one beyond patience fails the call at once", async () => {
  const clock = new FakeClock();
  const { fleetLimits } = memoryStore();
  const lease = await fleetLimits.lease("openai", 1, clock.now().getTime());
  await fleetLimits.cut("openai", { ...lease, waitMs: 30_000 }, clock.now().getTime());
  const gateway = aGateway(clock, new TokenBucket(100, 100, () => clock.monotonicMs()), fleetLimits);
  const waits: (readonly [isWaiting: boolean, atMs: number])[] = [];
  const onWaiting = (isWaiting: boolean) => void waits.push([isWaiting, clock.monotonicMs()]);
  const late = await clock.run(gateway.call(aCall({ waitLeftMs: () => 29_000 })));
  expect(late).toMatchObject({ kind: "failed", error: { code: "rate_limited", retryable: false } });
  expect(late.kind === "failed" && late.error.message).toMatch(
    /call openai as often .*limits\.maxWaitSeconds/,
  );
  expect(clock.monotonicMs()).toBe(0);
  expect(await clock.run(gateway.call(aCall({ onWaiting })))).toMatchObject({ kind: "answered", retries: 0 });
  expect(waits.map(([isWaiting]) => isWaiting)).toEqual([true, false]);
  expect(waits[1]?.[1]).toBeGreaterThanOrEqual(30_000);
});

test("a turn that a cut made void is asked for again", async () => {
  const clock = new FakeClock();
  const { fleetLimits } = memoryStore();
  const nowMs = clock.now().getTime();
  const first = await fleetLimits.lease("openai", 10, nowMs);
  const gateway = aGateway(clock, new TokenBucket(100, 100, () => clock.monotonicMs()), fleetLimits);
  const work = async () => {
    const called = gateway.call(aCall());
    await clock.sleep(100);
    await fleetLimits.cut("openai", { ...first, waitMs: 20_000 }, nowMs + 100);
    return called;
  };
  expect(await clock.run(work())).toMatchObject({ kind: "answered", retries: 0 });
  expect(clock.monotonicMs()).toBeGreaterThanOrEqual(20_100);
});
