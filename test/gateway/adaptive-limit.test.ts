import fc from "fast-check";
import { expect, test } from "vitest";
import { AdaptiveLimit } from "../../src/gateway/call-gate.ts";
import { Gateway } from "../../src/gateway/gateway.ts";
import { type ChatReply, ProviderError } from "../../src/providers/provider.ts";
import { FakeClock } from "../fixtures/gateway/fake-clock.ts";

const REPLY: ChatReply = { content: "", toolCalls: [], finishReason: "stop", usage: null, id: null };

function limitAt(start = 0) {
  let nowMs = start;
  const told: (number | null)[] = [];
  const limit = new AdaptiveLimit({ nowMs: () => nowMs, onChange: (calls) => void told.push(calls) });
  return {
    limit,
    told,
    pass: (ms: number) => {
      nowMs += ms;
    },
    refuse: (mostInFlight: number, changes: { sentAtMs?: number; waitMs?: number } = {}) =>
      limit.refused({ sentAtMs: nowMs, waitMs: null, mostInFlight, ...changes }),
    succeed: (times: number, mostWanted = 100) => {
      for (let time = 0; time < times; time++) limit.succeeded(mostWanted);
    },
  };
}

test("there is no limit before the first refusal", () => {
  const { limit, succeed, told } = limitAt();
  succeed(1_000);
  limit.troubled();
  expect([limit.calls, told]).toEqual([Number.POSITIVE_INFINITY, []]);
});

test("an episode cuts once, to four fifths of what was out", () => {
  const { limit, refuse, pass, told } = limitAt();
  expect(refuse(50)).toBe("cut");
  pass(1_999);
  expect(refuse(40)).toBe("same-episode");
  expect([limit.calls, told]).toEqual([40, [40]]);
});

test("a refusal after the cooldown is an episode of its own, unless the call was sent before the cut", () => {
  const { limit, refuse, pass } = limitAt(1_000);
  refuse(50);
  pass(10_000);
  expect(refuse(50, { sentAtMs: 999 })).toBe("same-episode");
  expect(refuse(50)).toBe("cut");
  expect(limit.calls).toBe(32);
});

test("the cooldown is as long as the provider asks, up to a minute", () => {
  const { refuse, pass } = limitAt();
  refuse(50, { waitMs: 3_600_000 });
  pass(59_999);
  expect(refuse(50)).toBe("same-episode");
  pass(1);
  expect(refuse(50)).toBe("cut");
});

test("after the cooldown a round of successes earns one more call, until nobody is held up", () => {
  const { limit, refuse, pass, succeed, told } = limitAt();
  refuse(10);
  succeed(100);
  expect(limit.calls).toBe(8);
  pass(10_000);
  succeed(9, 10);
  expect(limit.calls).toBe(9);
  succeed(10, 10);
  expect(told).toEqual([8, 9, null]);
});

test("a server in trouble pauses growth and cuts nothing", () => {
  const { limit, refuse, pass, succeed } = limitAt();
  refuse(10);
  pass(10_000);
  limit.troubled();
  succeed(100);
  expect(limit.calls).toBe(8);
  pass(10_000);
  succeed(9);
  expect(limit.calls).toBe(9);
});

test("one call at a time is always allowed", () => {
  const { limit, refuse, pass } = limitAt();
  for (let episode = 0; episode < 30; episode++) {
    refuse(50);
    pass(60_000);
  }
  expect(limit.calls).toBe(1);
});

interface Simulation {
  readonly calls: number;
  readonly concurrency: number;
  /** More than so many at a time are refused. */
  readonly capacity: number;
  readonly workMs: number;
  /** Every so many-th call meets a broken server; 0 is never. */
  readonly brokenEvery?: number;
  readonly waitLeftMs?: number;
  readonly retryAfterMs?: number;
}

/** A provider with a hard limit, and as many runs at once as the user wants. */
async function simulate({ calls, concurrency, capacity, workMs, ...odd }: Simulation) {
  const clock = new FakeClock();
  const limits: (number | null)[] = [];
  let inFlight = 0;
  let sent = 0;
  let refusals = 0;
  let overLimit = 0;
  const generate = async () => {
    sent++;
    inFlight++;
    const limit = limits.at(-1) ?? Number.POSITIVE_INFINITY;
    // Those that were out when the limit was cut are not called back.
    if (inFlight > limit && inFlight > (limits.at(-2) ?? Number.POSITIVE_INFINITY)) overLimit++;
    const isRefused = inFlight > capacity;
    const isBroken = odd.brokenEvery !== undefined && odd.brokenEvery > 0 && sent % odd.brokenEvery === 0;
    await clock.sleep(isRefused ? 10 : workMs);
    inFlight--;
    if (isRefused) {
      refusals++;
      throw new ProviderError("rate_limited", "too many", { retryable: true, waitMs: odd.retryAfterMs ?? 0 });
    }
    if (isBroken) throw new ProviderError("provider_error", "down", { retryable: true });
    return REPLY;
  };
  const gateway = new Gateway({
    factory: () => ({ generate }),
    clock,
    random: fakeRandom(),
    onLimit: (_key, now) => void limits.push(now),
  });
  let waitedMs = 0;
  let next = 0;
  const ends: string[] = [];
  const run = async () => {
    while (next++ < calls) {
      let since = 0;
      const { kind } = await gateway.call({
        providerKey: "openai",
        request: { model: "m", messages: [] },
        signal: new AbortController().signal,
        waitLeftMs: () => odd.waitLeftMs ?? 600_000,
        onWaiting: (isWaiting) => {
          if (isWaiting) since = clock.monotonicMs();
          else waitedMs += clock.monotonicMs() - since;
        },
      });
      ends.push(kind);
    }
  };
  await clock.run(Promise.all(Array.from({ length: concurrency }, run)));
  return { ends, limits, refusals, sent, overLimit, waitedMs, tookMs: clock.monotonicMs(), inFlight };
}

/** The same numbers every time. */
function fakeRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

test("a provider that takes everything is never limited", async () => {
  const { limits, refusals, waitedMs, tookMs } = await simulate({
    calls: 100,
    concurrency: 20,
    capacity: 20,
    workMs: 1_000,
  });
  expect([limits, refusals, waitedMs, tookMs]).toEqual([[], 0, 0, 5_000]);
});

test("a limited provider is soon asked for about what it takes", async () => {
  const { ends, limits, refusals, waitedMs } = await simulate({
    calls: 3_000,
    concurrency: 30,
    capacity: 12,
    workMs: 1_000,
  });
  expect(new Set(ends)).toEqual(new Set(["answered"]));
  expect(refusals / 3_000).toBeLessThan(0.1);
  const settled = limits.slice(-20).map((calls) => calls ?? 30);
  expect(Math.min(...settled)).toBeGreaterThanOrEqual(8);
  expect(Math.max(...settled)).toBeLessThanOrEqual(14);
  expect(waitedMs).toBeGreaterThan(0);
});

test("a broken server lowers no limit", async () => {
  const { ends, limits } = await simulate({
    calls: 300,
    concurrency: 10,
    capacity: 10,
    workMs: 100,
    brokenEvery: 3,
  });
  expect(limits).toEqual([]);
  expect(ends).toHaveLength(300);
});

test("whatever the provider takes, every call ends, and none goes out over the limit", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        calls: fc.integer({ min: 1, max: 120 }),
        concurrency: fc.integer({ min: 1, max: 40 }),
        capacity: fc.integer({ min: 1, max: 40 }),
        workMs: fc.integer({ min: 1, max: 20_000 }),
        brokenEvery: fc.integer({ min: 0, max: 7 }),
        retryAfterMs: fc.constantFrom(0, 1_000, 30_000),
      }),
      async (simulation) => {
        const { ends, limits, overLimit, sent, inFlight } = await simulate(simulation);
        expect(ends).toHaveLength(simulation.calls);
        expect([overLimit, inFlight]).toEqual([0, 0]);
        expect(sent).toBeLessThanOrEqual(simulation.calls * 6);
        for (const calls of limits)
          expect(calls === null || (calls >= 1 && calls < simulation.concurrency)).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

test("a call whose turn does not come in time fails as rate limited, and says what to do", async () => {
  const clock = new FakeClock();
  let refuseFirst = true;
  const generate = async () => {
    const isRefused = refuseFirst;
    refuseFirst = false;
    await clock.sleep(isRefused ? 10 : 100_000);
    if (isRefused) throw new ProviderError("rate_limited", "too many", { retryable: true });
    return REPLY;
  };
  const gateway = new Gateway({ factory: () => ({ generate }), clock, random: () => 1 });
  const waits: (readonly [isWaiting: boolean, atMs: number])[] = [];
  const call = (waitLeftMs: number, onWaiting: (isWaiting: boolean) => void = () => {}) =>
    gateway.call({
      ...{
        providerKey: "openai",
        request: { model: "m", messages: [] },
        signal: new AbortController().signal,
      },
      ...{ waitLeftMs: () => waitLeftMs, onWaiting },
    });
  const work = async () => {
    const first = call(600_000);
    // By now the first call is out again, and one at a time is the limit.
    await clock.sleep(1_000);
    const late = await call(5_000, (isWaiting) => void waits.push([isWaiting, clock.monotonicMs()]));
    return [late, await first, await call(0)] as const;
  };
  const [late, first, next] = await clock.run(work());
  expect(late).toMatchObject({
    kind: "failed",
    retries: 0,
    error: { code: "rate_limited", retryable: false },
  });
  expect(late.kind === "failed" && late.error.message).toMatch(
    /^openai currently accepts 1 call at a time.*limits\.maxWaitSeconds; raise it or lower concurrency$/,
  );
  expect(waits).toEqual([
    [true, 1_000],
    [false, 6_000],
  ]);
  expect([first.kind, next.kind]).toEqual(["answered", "answered"]);
});

test("a run that ends in the queue leaves its place to the next", async () => {
  const clock = new FakeClock();
  let sent = 0;
  const generate = async () => {
    const isRefused = ++sent === 1;
    await clock.sleep(isRefused ? 10 : 10_000);
    if (isRefused) throw new ProviderError("rate_limited", "too many", { retryable: true });
    return REPLY;
  };
  const gateway = new Gateway({ factory: () => ({ generate }), clock, random: () => 1 });
  const stop = new AbortController();
  const call = (signal = new AbortController().signal) =>
    gateway.call({
      ...{ providerKey: "openai", request: { model: "m", messages: [] }, signal },
      ...{ waitLeftMs: () => 600_000, onWaiting: () => {} },
    });
  const work = async () => {
    const first = call();
    await clock.sleep(1_000);
    const stopped = call(stop.signal);
    const last = call();
    await clock.sleep(1_000);
    stop.abort(new Error("the run is over"));
    return [await stopped, await first, await last] as const;
  };
  const [stopped, first, last] = await clock.run(work());
  expect(stopped).toMatchObject({ kind: "failed", error: { message: "openai: the run is over" } });
  expect([first.kind, last.kind, sent]).toEqual(["answered", "answered", 3]);
});

test("each provider has a limit of its own", async () => {
  const clock = new FakeClock();
  const told: string[] = [];
  const gateway = new Gateway({
    factory: (key) => ({
      async generate() {
        await clock.sleep(10);
        if (key === "busy" && clock.monotonicMs() < 100) {
          throw new ProviderError("rate_limited", "too many", { retryable: true });
        }
        return REPLY;
      },
    }),
    clock,
    random: () => 1,
    onLimit: (key, calls) => void told.push(`${key} ${calls}`),
  });
  const call = (providerKey: string) =>
    gateway.call({
      ...{ providerKey, request: { model: "m", messages: [] }, signal: new AbortController().signal },
      ...{ waitLeftMs: () => 600_000, onWaiting: () => {} },
    });
  await clock.run(Promise.all(["busy", "busy", "busy", "idle", "idle"].map(call)));
  expect(told).toEqual(["busy 2"]);
});
