import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MAX_TRIES } from "../../src/gateway/gateway.ts";
import { TWENTY_AND_FIVE } from "../contract/provider/replies.ts";
import {
  MODEL_KEYS,
  MODELS,
  playModels,
  requestsOf,
  runEveryProvider,
  variablesFor,
} from "../fixtures/models/every-provider.ts";
import { ModelServer, type OddAnswer } from "../fixtures/models/model-server.ts";
import { nestedFields } from "../fixtures/records/nested-json.ts";

const WORDS = 4;
/** Every run asks twice: for the tool, and to finish. */
const CALLS = 2;

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
beforeEach(() => {
  server.reset();
  playModels(server);
});
afterAll(() => server.stop());

describe("one evaluation over every provider", () => {
  test("has the right answers, and the tokens and the cost of every model, tool rounds included", async () => {
    const { stats, logs, modelCalls } = await runEveryProvider(variablesFor(server));
    expect(Object.keys(stats)).toEqual(MODEL_KEYS);
    expect(logs).toHaveLength(MODELS.length * WORDS);
    for (const entry of logs) {
      expect(entry).toMatchObject({ correct: true, failure: null, turns: CALLS });
      // A turn at the gate may come a moment later, as long as a busy machine makes that; nothing waited for a rate limit.
      expect(entry.waitSeconds).toBeLessThan(entry.runtimeSeconds + 1);
      expect(entry.usage).toMatchObject({ inputTokens: 40, outputTokens: 10 });
      expect(requestsOf(server.sent, entry)).toHaveLength(CALLS);
      expect(await modelCalls(entry)).toMatchObject(Array(CALLS).fill({ retries: 0, error: null }));
    }
    const tokens = { inputTokens: 20 * CALLS * WORDS, outputTokens: 5 * CALLS * WORDS };
    for (const key of MODEL_KEYS)
      expect(stats[key]).toMatchObject({ correct: WORDS, accuracy: 1, ...tokens });
    // 160 tokens in and 40 out, at dollars per million.
    expect(MODEL_KEYS.map((key) => stats[key]?.costUsd)).toEqual([
      (160 * 0.25 + 40 * 2) / 1e6,
      (160 * 1 + 40 * 5) / 1e6,
      (160 * 0.3 + 40 * 2.5) / 1e6,
      (200 * 0.88) / 1e6,
      (160 * 1.1 + 40 * 5.5) / 1e6,
      null,
    ]);
  });
});

describe("under trouble", () => {
  const BROKEN: OddAnswer = { kind: "raw", status: 500, body: { error: { message: "it broke" } } };
  const BUSY: OddAnswer = {
    ...{ kind: "raw", status: 429, headers: { "retry-after": "1" } },
    body: { error: { message: "slow down" } },
  };
  /** Three of ten requests. */
  const TROUBLE: Readonly<Record<number, OddAnswer>> = { 1: BUSY, 4: BROKEN, 7: BUSY };

  /** Disturbs every model alike, and one run always; tells how many requests it refused. */
  function disturb(doomed: { model: string; problem: string }): () => number {
    const seen = new Map<string, number>();
    let refused = 0;
    server.disturb = ({ path, body }) => {
      const model = `${path} ${body.model}`;
      const count = (seen.get(model) ?? 0) + 1;
      const isDoomed = model.includes(doomed.model) && JSON.stringify(body).includes(doomed.problem);
      if (!isDoomed) seen.set(model, count);
      const answer = isDoomed ? BROKEN : TROUBLE[count % 10];
      if (answer !== undefined) refused++;
      return answer;
    };
    return () => refused;
  }

  test("every run has an honest entry, within the limit of tries, and waits are no runtime", async () => {
    const doomed = { model: "small", problem: "shout lima" };
    const countRefused = disturb(doomed);
    const { logs, stats, modelCalls } = await runEveryProvider(variablesFor(server));
    expect(logs).toHaveLength(MODELS.length * WORDS);
    expect(countRefused() / server.sent.length).toBeGreaterThan(0.3);
    const failed = logs.filter(({ failure }) => failure !== null);
    expect(failed).toMatchObject([
      { ...doomed, correct: null, failure: { cause: "provider_error", fault: "infrastructure" } },
    ]);
    expect(failed[0]?.failure?.message).toContain("it broke");
    expect(logs.filter(({ correct }) => correct)).toHaveLength(logs.length - 1);
    for (const entry of logs) {
      const calls = await modelCalls(entry);
      const tries = calls.map(({ retries }) => retries + 1);
      expect(Math.max(...tries)).toBeLessThanOrEqual(MAX_TRIES);
      expect(requestsOf(server.sent, entry)).toHaveLength(tries.reduce((sum, each) => sum + each, 0));
      const isRetried = tries.some((each) => each > 1);
      if (isRetried) expect(entry.waitSeconds).toBeGreaterThan(0);
      const wholeMs = Date.parse(entry.endedAt) - Date.parse(entry.startedAt);
      expect((entry.runtimeSeconds + entry.waitSeconds) * 1_000).toBeLessThanOrEqual(wholeMs + 50);
    }
    const [last] = failed;
    if (last === undefined) throw new Error("nothing failed");
    expect(requestsOf(server.sent, last)).toHaveLength(MAX_TRIES);
    expect(await modelCalls(last)).toMatchObject([{ retries: MAX_TRIES - 1, reply: null }]);
    // What was refused was not used.
    for (const [index, key] of MODEL_KEYS.entries()) {
      const runs = index === MODEL_KEYS.length - 1 ? WORDS - 1 : WORDS;
      expect(stats[key]).toMatchObject({ correct: runs, accuracy: 1, inputTokens: 20 * CALLS * runs });
    }
  });
});

test("a model of any provider that nests its arguments too deep ends its own run as limit, and no other", async () => {
  const deep = { name: "shout", arguments: nestedFields(1_500) };
  server.mock.clearFixtures();
  server.mock.on({ userMessage: "shout peru" }, { toolCalls: [deep], usage: TWENTY_AND_FIVE });
  playModels(server);
  const { logs } = await runEveryProvider(variablesFor(server));
  expect(logs).toHaveLength(MODELS.length * WORDS);
  for (const entry of logs) {
    const isDeep = entry.problem === "shout peru";
    expect(entry.failure).toEqual(
      isDeep ? { cause: "limit", fault: "model", message: expect.stringContaining("deeper than") } : null,
    );
    expect([entry.correct, entry.costUsd === null]).toEqual(
      isDeep ? [null, true] : [true, entry.model === "small"],
    );
    expect(requestsOf(server.sent, entry)).toHaveLength(isDeep ? 1 : CALLS);
  }
});

describe("a wrong key", () => {
  const WRONG = "wrong-key-of-mine";
  const refuse: OddAnswer = { kind: "raw", status: 401, body: { error: { message: "who are you?" } } };

  test.each([
    ["openai", "OPENAI_API_KEY", "OPENAI_API_KEY"],
    ["anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"],
    ["gemini", "GEMINI_API_KEY", "GEMINI_API_KEY"],
    ["huggingface:together", "HF_TOKEN", "HF_TOKEN"],
    ["openai-compatible:local", "LOCAL_API_KEY", "LOCAL_API_KEY"],
    ["bedrock", "AWS_ACCESS_KEY_ID", "credentials of the account"],
  ])("of %s ends each of its runs at the first call, and no other run", async (provider, variable, words) => {
    server.disturb = ({ headers }) => (JSON.stringify(headers).includes(WRONG) ? refuse : undefined);
    const variables = { ...variablesFor(server), [variable]: WRONG };
    const { logs } = await runEveryProvider(variables, ["--limit", "2"]);
    expect(logs).toHaveLength(MODELS.length * 2);
    for (const entry of logs.filter(({ providerKey }) => providerKey !== provider)) {
      expect(entry).toMatchObject({ correct: true, failure: null });
      expect(requestsOf(server.sent, entry)).toHaveLength(CALLS);
    }
    for (const entry of logs.filter(({ providerKey }) => providerKey === provider)) {
      expect(entry.failure).toMatchObject({ cause: "provider_error", fault: "infrastructure" });
      expect(entry.failure?.message).toContain(words);
      expect(requestsOf(server.sent, entry)).toHaveLength(1);
    }
  });
});
