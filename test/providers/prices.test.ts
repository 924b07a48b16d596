import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type CallUsage, NO_USAGE, type Price } from "../../src/domain/run/usage.ts";
import { priceList } from "../../src/providers/prices.ts";

const SUMMER = "2026-06-01T12:00:00Z";

interface Given {
  readonly own?: Readonly<Record<string, Price>>;
  readonly at?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Nano-dollars, asked as a run does: the list is opened first. */
async function costOf(
  [providerKey, model]: readonly [string, string],
  usage: Partial<CallUsage>,
  { own = {}, at = SUMMER, variables = {} }: Given = {},
): Promise<number | null> {
  const prices = priceList({ own, now: () => new Date(at), variables });
  await prices.open({ providerKey, model });
  return prices.costNanoUsd({ providerKey, model }, { ...NO_USAGE, ...usage });
}

const THOUSAND = { inputTokens: 1_000, outputTokens: 100 };
const HAIKU = ["anthropic", "claude-haiku-4-5"] as const;

// Dollars per million tokens are thousands of nano-dollars per token.
describe("a call costs what its provider asks", () => {
  test.each<[what: string, model: readonly [string, string], usage: Partial<CallUsage>, nanoUsd: number]>([
    ["OpenAI", ["openai", "gpt-5-mini"], THOUSAND, 1_000 * 250 + 100 * 2_000],
    [
      "OpenAI with input from its cache",
      ["openai", "gpt-5-mini"],
      { ...THOUSAND, cachedInputTokens: 400 },
      600 * 250 + 400 * 25 + 100 * 2_000,
    ],
    [
      "OpenAI, whose reasoning is in the output",
      ["openai", "gpt-5-mini"],
      { ...THOUSAND, reasoningTokens: 90 },
      1_000 * 250 + 100 * 2_000,
    ],
    ["Anthropic", HAIKU, THOUSAND, 1_000 * 1_000 + 100 * 5_000],
    ["Anthropic under a dated name", ["anthropic", "claude-haiku-4-5-20251001"], THOUSAND, 1_500_000],
    [
      "Anthropic with a cache that was read and written",
      HAIKU,
      { ...THOUSAND, cachedInputTokens: 300, cacheWriteTokens: 200 },
      500 * 1_000 + 300 * 100 + 200 * 1_250 + 100 * 5_000,
    ],
    [
      "Anthropic with a cache that stays for an hour",
      HAIKU,
      { ...THOUSAND, cacheWriteTokens: 200, cacheWriteHourTokens: 150 },
      800 * 1_000 + 50 * 1_250 + 150 * 2_000 + 100 * 5_000,
    ],
    [
      "Gemini",
      ["gemini", "gemini-2.5-flash"],
      { ...THOUSAND, reasoningTokens: 60 },
      1_000 * 300 + 100 * 2_500,
    ],
    [
      "Gemini under its full name",
      ["gemini", "models/gemini-2.5-flash"],
      THOUSAND,
      1_000 * 300 + 100 * 2_500,
    ],
    [
      "Gemini up to where a long context begins",
      ["gemini", "gemini-2.5-pro"],
      { inputTokens: 200_000, outputTokens: 10 },
      200_000 * 1_250 + 10 * 10_000,
    ],
    [
      "Gemini with a long context, for all of it",
      ["gemini", "gemini-2.5-pro"],
      { inputTokens: 200_001, outputTokens: 10, cachedInputTokens: 1 },
      200_000 * 2_500 + 250 + 10 * 15_000,
    ],
    ["Bedrock", ["bedrock", "amazon.nova-lite-v1:0"], THOUSAND, 1_000 * 60 + 100 * 240],
    [
      "Bedrock with a profile of a region",
      ["bedrock", "eu.anthropic.claude-haiku-4-5-20251001-v1:0"],
      THOUSAND,
      1_000 * 1_100 + 100 * 5_500,
    ],
    [
      "Bedrock with the whole name of a profile",
      [
        "bedrock",
        "arn:aws:bedrock:us-east-1:1:inference-profile/global.anthropic.claude-haiku-4-5-20251001-v1:0",
      ],
      THOUSAND,
      1_500_000,
    ],
    ["Hugging Face", ["huggingface:together", "meta-llama/Llama-3.3-70B-Instruct"], THOUSAND, 1_100 * 880],
    ["another one behind it", ["huggingface:groq", "openai/gpt-oss-120b"], THOUSAND, 1_000 * 150 + 100 * 750],
    ["one that the model names", ["huggingface", "openai/gpt-oss-120b:groq"], THOUSAND, 225_000],
  ])("%s", async (_what, model, usage, nanoUsd) => {
    expect(await costOf(model, usage)).toBe(nanoUsd);
  });

  test.each([
    ["2025-06-09T12:00:00Z", 14_000_000],
    ["2025-06-11T12:00:00Z", 2_800_000],
  ])("on its day: %s", async (at, nanoUsd) => {
    expect(await costOf(["openai", "o3"], THOUSAND, { at })).toBe(nanoUsd);
  });

  test.each([
    ["2026-06-01T00:15:00Z", 1_000 * 135 + 100 * 550],
    ["2026-06-01T12:00:00Z", 1_000 * 270 + 100 * 1_100],
  ])("at its hour: %s", async (at, nanoUsd) => {
    const variables = { DEEPSEEK_BASE_URL: "https://api.deepseek.com/v1" };
    const model = ["openai-compatible:deepseek", "deepseek-chat"] as const;
    expect(await costOf(model, THOUSAND, { at, variables })).toBe(nanoUsd);
  });

  test("where another one serves it, by that one's list", async () => {
    const openrouter = "https://openrouter.ai/api/v1";
    const research = { ...THOUSAND, reasoningTokens: 60 };
    const model = ["openai-compatible:router", "perplexity/sonar-deep-research"] as const;
    const cost = await costOf(model, research, { variables: { ROUTER_BASE_URL: openrouter } });
    expect(cost).toBe(1_000 * 2_000 + 40 * 8_000 + 60 * 3_000);
    const moved = { variables: { OPENAI_BASE_URL: openrouter } };
    expect(await costOf(["openai", "anthropic/claude-haiku-4.5"], THOUSAND, moved)).toBe(1_500_000);
    const proxied = { variables: { ANTHROPIC_BASE_URL: "http://127.0.0.1:4000" } };
    expect(await costOf(HAIKU, THOUSAND, proxied)).toBe(1_500_000);
  });

  test("more cached than input, as some report it, is all cached", async () => {
    expect(await costOf(HAIKU, { inputTokens: 10, cachedInputTokens: 40 })).toBe(4_000);
  });
});

test.each([
  ["a scripted model", ["scripted", "gpt-5-mini"]],
  ["a provider of the user's own", ["my-lab", "gpt-5-mini"]],
  ["a model that is not in the list", ["openai", "no-such-model"]],
  ["a server of one's own", ["openai-compatible:local", "gpt-5-mini"]],
  ["whom Hugging Face may choose", ["huggingface", "openai/gpt-oss-120b"]],
  ["a way of choosing, which is no provider", ["huggingface", "openai/gpt-oss-120b:fastest"]],
  [
    "a profile that says no model",
    ["bedrock", "arn:aws:bedrock:us-east-1:1:application-inference-profile/a1"],
  ],
] as const)("the price of %s is unknown, also for nothing used", async (_what, model) => {
  const variables = { LOCAL_BASE_URL: "http://127.0.0.1:11434/v1" };
  expect(await costOf(model, THOUSAND, { variables })).toBeNull();
  expect(await costOf(model, NO_USAGE, { variables })).toBeNull();
});

describe("the user's own prices", () => {
  test("win over the list, and serve models that are in none", async () => {
    const own = { "openai/gpt-5-mini": { input: 1, output: 2 }, "scripted/a": { input: 0, output: 0 } };
    expect(await costOf(["openai", "gpt-5-mini"], THOUSAND, { own })).toBe(1_200_000);
    expect(await costOf(["scripted", "a"], THOUSAND, { own })).toBe(0);
    expect(await costOf(HAIKU, THOUSAND, { own })).toBe(1_500_000);
  });

  test("are asked by a model's own key alone", async () => {
    expect(await costOf(["scripted", "constructor"], THOUSAND)).toBeNull();
    const own = { "openai/gpt-5": { input: 1, output: 2 } };
    expect(await costOf(["openai", "gpt-5-mini"], THOUSAND, { own })).toBe(450_000);
  });

  test("need no list to be opened", () => {
    const own = { "openai/gpt-5-mini": { input: 1, output: 2 } };
    const prices = priceList({ own, now: () => new Date(SUMMER), variables: {} });
    expect(prices.open({ providerKey: "openai", model: "gpt-5-mini" })).toBeNull();
    expect(prices.open({ providerKey: "scripted", model: "a" })).toBeNull();
    expect(prices.open({ providerKey: "openai", model: "gpt-5" })).toBeInstanceOf(Promise);
  });
});

describe("the list", () => {
  afterEach(() => vi.unstubAllGlobals());

  test("is never fetched", async () => {
    const fetch = vi.fn();
    vi.stubGlobal("fetch", fetch);
    expect(await costOf(HAIKU, THOUSAND)).toBe(1_500_000);
    expect(fetch).not.toHaveBeenCalled();
  });

  test("gives whole nano-dollars, whatever was reported", async () => {
    const prices = priceList({ own: {}, now: () => new Date(SUMMER), variables: {} });
    const model = { providerKey: "anthropic", model: "claude-haiku-4-5" };
    await prices.open(model);
    const tokens = fc.integer({ min: 0, max: 10_000_000 });
    const counts = { inputTokens: tokens, outputTokens: tokens, cachedInputTokens: tokens };
    const more = { reasoningTokens: tokens, cacheWriteTokens: tokens, cacheWriteHourTokens: tokens };
    fc.assert(
      fc.property(fc.record({ ...counts, ...more }), (usage) => {
        const cost = prices.costNanoUsd(model, usage);
        expect(Number.isSafeInteger(cost)).toBe(true);
        expect(cost).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
