import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Gateway, type GatewayCall, MAX_TRIES } from "../../src/gateway/gateway.ts";
import {
  type ChatChunk,
  type ChatProvider,
  type ChatReply,
  ProviderError,
} from "../../src/providers/provider.ts";
import { FakeClock } from "../fixtures/gateway/fake-clock.ts";

const REPLY: ChatReply = {
  content: "Lima",
  toolCalls: [],
  finishReason: "stop",
  usage: { inputTokens: 3, outputTokens: 2, cachedInputTokens: 0, reasoningTokens: 0 },
  id: "reply-1",
};

const limited = (waitMs?: number) =>
  new ProviderError("rate_limited", "too many", {
    retryable: true,
    ...(waitMs === undefined ? {} : { waitMs }),
  });
const down = () => new ProviderError("provider_error", "down", { retryable: true });
const refused = () => new ProviderError("provider_error", "wrong key", { retryable: false });

const FAILURES = { limited, down, refused } as const;

interface Asked {
  readonly waitLeftMs?: number;
  readonly random?: number;
  readonly signal?: AbortSignal;
  readonly whenWaiting?: () => void;
}

/** One call to a provider that takes 100 ms for everything and first fails like this. */
async function callThrough(failures: readonly unknown[], asked: Asked = {}) {
  const clock = new FakeClock();
  const sentAtMs: number[] = [];
  const provider: ChatProvider = {
    async generate() {
      const failure = failures[sentAtMs.push(clock.monotonicMs()) - 1];
      await clock.sleep(100);
      if (failure !== undefined) throw failure;
      return REPLY;
    },
  };
  const waits: boolean[] = [];
  const { random = 1 } = asked;
  const gateway = new Gateway({ factory: () => provider, clock, random: () => random });
  const call: GatewayCall = {
    providerKey: "openai",
    request: { model: "m", messages: [] },
    signal: asked.signal ?? new AbortController().signal,
    waitLeftMs: () => asked.waitLeftMs ?? 600_000,
    onWaiting: (isWaiting) => {
      waits.push(isWaiting);
      if (isWaiting) asked.whenWaiting?.();
    },
  };
  const sent = await clock.run(gateway.call(call));
  return { sent, sentAtMs, waits };
}

describe("retries", () => {
  test("a call that succeeds at once waits for nothing", async () => {
    const { sent, waits } = await callThrough([]);
    expect(sent).toEqual({
      kind: "answered",
      answer: { reply: REPLY, firstTokenMs: null },
      retries: 0,
      latencyMs: 100,
    });
    expect(waits).toEqual([]);
  });

  test("waits double with every try, and the latency is that of the last try alone", async () => {
    const { sent, sentAtMs, waits } = await callThrough([down(), down(), down()]);
    expect(sent).toMatchObject({ kind: "answered", retries: 3, latencyMs: 100 });
    expect(sentAtMs).toEqual([0, 600, 1_700, 3_800]);
    expect(waits).toEqual([true, false, true, false, true, false]);
  });

  test("half of a wait is left to chance", async () => {
    const { sentAtMs } = await callThrough([down(), down()], { random: 0 });
    expect(sentAtMs).toEqual([0, 350, 950]);
  });

  test("what the provider asks for is waited, unless the backoff is longer", async () => {
    const { sentAtMs } = await callThrough([limited(20_000), limited(10), limited()]);
    expect(sentAtMs).toEqual([0, 20_100, 21_200, 23_300]);
  });

  test("a call is sent so many times and no more, and says how often", async () => {
    const { sent, sentAtMs } = await callThrough(Array.from({ length: 20 }, down));
    expect(sentAtMs).toHaveLength(MAX_TRIES);
    expect(sent).toMatchObject({
      kind: "failed",
      retries: MAX_TRIES - 1,
      latencyMs: 100,
      error: { message: "down" },
    });
  });

  test.each([
    ["a wrong key", refused(), "wrong key"],
    ["an error that is none of ours", new TypeError("x is not a function"), "openai: x is not a function"],
    ["something that is no error", { message: "odd" }, "openai: odd"],
  ])("%s is not tried again", async (_what, thrown, message) => {
    const { sent, sentAtMs } = await callThrough([thrown]);
    expect(sentAtMs).toEqual([0]);
    expect(sent).toMatchObject({ kind: "failed", retries: 0, error: { code: "provider_error", message } });
  });

  test("a wait that the run has no patience for is not begun", async () => {
    const { sent, sentAtMs, waits } = await callThrough([limited(60_000)], { waitLeftMs: 59_000 });
    expect([sentAtMs, waits]).toEqual([[0], []]);
    expect(sent).toMatchObject({ kind: "failed", error: { code: "rate_limited" } });
    expect(sent.kind === "failed" && sent.error.message).toMatch(
      /too many; .* in 60 s .*limits\.maxWaitSeconds/,
    );
  });

  test("a run that ends while its call waits ends the wait", async () => {
    const stop = new AbortController();
    const whenWaiting = () => queueMicrotask(() => stop.abort(new Error("the run is over")));
    const { sent, waits } = await callThrough([limited(60_000)], { signal: stop.signal, whenWaiting });
    expect(sent).toMatchObject({ kind: "failed", retries: 0, error: { message: "too many" } });
    expect(waits).toEqual([true, false]);
  });

  test("any mix of failures keeps to the rules", async () => {
    const failure = fc.oneof(
      fc.record({ kind: fc.constant("limited" as const), waitMs: fc.integer({ min: 0, max: 90_000 }) }),
      fc.record({ kind: fc.constantFrom("down" as const, "refused" as const), waitMs: fc.constant(0) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(failure, { maxLength: 8 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (failures, random) => {
          const thrown = failures.map(({ kind, waitMs }) => FAILURES[kind](waitMs));
          const { sent, sentAtMs, waits } = await callThrough(thrown, { random });
          expect(sentAtMs).toHaveLength(sent.retries + 1);
          expect(sentAtMs.length).toBeLessThanOrEqual(MAX_TRIES);
          expect(waits).toEqual(Array.from({ length: sent.retries }, () => [true, false]).flat());
          for (const [at, { waitMs }] of failures.slice(0, sent.retries).entries()) {
            const pause = (sentAtMs[at + 1] ?? 0) - (sentAtMs[at] ?? 0) - 100;
            expect(pause).toBeGreaterThanOrEqual(Math.max(waitMs, 250 * 2 ** at));
          }
          const firstRefusal = failures.findIndex(({ kind }) => kind === "refused");
          if (firstRefusal !== -1) expect(sent.retries).toBeLessThanOrEqual(firstRefusal);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("streams", () => {
  async function callStream(chunks: readonly (ChatChunk | number)[], stream = true) {
    const clock = new FakeClock();
    let generated = 0;
    const provider: ChatProvider = {
      generate: async () => {
        generated++;
        return REPLY;
      },
      async *stream() {
        for (const chunk of chunks) {
          if (typeof chunk === "number") await clock.sleep(chunk);
          else yield chunk;
        }
      },
    };
    const gateway = new Gateway({ factory: () => provider, clock, random: () => 0 });
    const sent = await clock.run(
      gateway.call({
        providerKey: "openai",
        request: { model: "m", messages: [], stream },
        signal: new AbortController().signal,
        waitLeftMs: () => 0,
        onWaiting: () => {},
      }),
    );
    return { sent, generated };
  }

  const whole: ChatChunk = { kind: "reply", reply: REPLY };

  test("the time to the first token is kept beside that of the whole reply", async () => {
    const { sent } = await callStream([
      250,
      { kind: "text", text: "Li" },
      50,
      { kind: "text", text: "ma" },
      100,
      whole,
    ]);
    expect(sent).toMatchObject({ latencyMs: 400, answer: { reply: REPLY, firstTokenMs: 250 } });
  });

  test("a stream without text has no first token", async () => {
    const { sent } = await callStream([250, whole]);
    expect(sent).toMatchObject({ kind: "answered", answer: { reply: REPLY, firstTokenMs: null } });
  });

  test("a stream that ends before its reply is a failure that may be tried again", async () => {
    const { sent } = await callStream([{ kind: "text", text: "Li" }]);
    expect(sent).toMatchObject({ kind: "failed", error: { code: "provider_error" } });
    expect(sent.kind === "failed" && sent.error.cause).toMatchObject({ retryable: true });
  });

  test("nobody who did not ask for a stream gets one", async () => {
    const { sent, generated } = await callStream([250, whole], false);
    expect([sent.kind, generated]).toEqual(["answered", 1]);
  });
});

test("a provider that cannot be made fails each of its calls, and no other's", async () => {
  const clock = new FakeClock();
  const gateway = new Gateway({
    factory: (key) => {
      if (key === "broken") throw new Error("no such thing");
      return { generate: async () => REPLY };
    },
    clock,
    random: () => 0,
  });
  const call = (providerKey: string) =>
    gateway.call({
      ...{ providerKey, request: { model: "m", messages: [] }, signal: new AbortController().signal },
      ...{ waitLeftMs: () => 0, onWaiting: () => {} },
    });
  const ends = await clock.run(Promise.all([call("broken"), call("fine"), call("broken")]));
  expect(ends.map(({ kind }) => kind)).toEqual(["failed", "answered", "failed"]);
  expect(ends[2]).toMatchObject({ retries: 0, error: { message: "broken: no such thing" } });
});

describe("a provider that cannot be made", () => {
  const noSuch = (key: string) =>
    new ProviderError("provider_error", `no ${key.slice(0, 9)}`, { retryable: false });
  const call = (providerKey: string): GatewayCall => ({
    ...{ providerKey, request: { model: "m", messages: [] }, signal: new AbortController().signal },
    ...{ waitLeftMs: () => 0, onWaiting: () => {} },
  });

  test("fails the call, and is made anew for the next one", async () => {
    const known = new Set<string>();
    const factory = (key: string) => {
      if (!known.has(key)) throw noSuch(key);
      return { generate: async () => REPLY };
    };
    const gateway = new Gateway({ factory, clock: new FakeClock(), random: () => 1 });
    expect(await gateway.call(call("later"))).toMatchObject({
      kind: "failed",
      error: noSuch("later"),
      retries: 0,
    });
    known.add("later");
    expect(await gateway.call(call("later"))).toMatchObject({ kind: "answered" });
  });

  test("leaves nothing behind, however many keys are made up", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const factory = (key: string) => Promise.reject(noSuch(key));
    const gateway = new Gateway({ factory, clock: new FakeClock(), random: () => 1 });
    const heapMb = async (calls: number) => {
      for (let made = 0; made < calls; made++) await gateway.call(call(`${made}`.padEnd(1_000_000, "x")));
      collectGarbage();
      return process.memoryUsage().heapUsed / 1e6;
    };
    const before = await heapMb(1);
    expect((await heapMb(100)) - before).toBeLessThan(20);
    // Only the gateway could hold on to them, and it is still there.
    expect(await gateway.call(call("one more"))).toMatchObject({ kind: "failed" });
  });
});
