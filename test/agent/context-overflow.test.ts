import { describe, expect, test } from "vitest";
import { z } from "zod";
import { NoAnswerError, type Tool } from "../../src/agent/agent.ts";
import { saysContextOverflow } from "../../src/agent/conversation.ts";
import { SimpleAgent } from "../../src/agent/simple-agent.ts";
import { defineTool } from "../../src/agent/tools.ts";
import { type ChatRequest, ProviderError } from "../../src/providers/provider.ts";
import { aRunContext, notesOf } from "../fixtures/agent/a-run-context.ts";
import { calling, finishing, type Play, playedProvider } from "../fixtures/agent/played-provider.ts";

const failed = (message: string) => new ProviderError("provider_error", message, { retryable: false });

test.each([
  "openai answered 400: Your input exceeds the context window of this model. Please adjust your input and try again.",
  "local answered 400: This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
  "anthropic answered 400: prompt is too long: 205000 tokens > 200000 maximum",
  "anthropic answered 400: input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
  "gemini answered 400: The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  "bedrock answered 400: Input is too long for requested model.",
  "huggingface answered 422: `inputs` must have less than 4096 tokens. Given: 5000",
  "local answered 400: the request exceeds the available context size, try increasing it",
])("%s: means that the conversation is too long", (message) => {
  expect(saysContextOverflow(failed(message))).toBe(true);
});

test.each([
  failed("openai answered 400: Unsupported parameter: 'temperature'"),
  new ProviderError("rate_limited", "anthropic answered 429: too many tokens per minute", {
    retryable: true,
  }),
  new Error("prompt is too long"),
])("%s means something else", (error) => {
  expect(saysContextOverflow(error)).toBe(false);
});

const read = defineTool({
  name: "read",
  description: "Reads a page.",
  input: z.object({ page: z.int() }),
  run: ({ page }) => `${page}`.repeat(4_000),
});

const reading = (page: number) => calling(["read", { page }]);
const lengths = ({ messages }: ChatRequest) =>
  messages.flatMap((message) => (message.role === "tool" ? [message.content.length] : []));

/** A model whose context holds so many characters of messages. */
const holding =
  (characters: number, play: Exclude<Play, (request: ChatRequest) => unknown>): Play =>
  (request) => {
    if (JSON.stringify(request.messages).length <= characters) return play;
    throw failed("played answered 400: prompt is too long");
  };

function reader(plays: readonly Play[], contextTokens?: number, tool: Tool = read) {
  const provider = playedProvider(...plays);
  const agent = new SimpleAgent({
    name: "Reader",
    objective: "Read.",
    provider,
    model: "m",
    tools: [tool],
    outputSchema: z.object({ value: z.string() }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
  });
  return { agent, provider, context: aRunContext() };
}

describe("a conversation that is too long", () => {
  test("loses its oldest tool outputs first, and the transcript says so", async () => {
    const end = holding(9_000, finishing({ value: "read" }));
    const { agent, provider, context } = reader([reading(1), reading(2), reading(3), end, end]);
    expect(await agent.run(context)).toEqual({ value: "read" });
    expect(provider.requests.slice(3).map(lengths)).toEqual([
      [4_000, 4_000, 4_000],
      [444, 444, 4_000],
    ]);
    expect(notesOf(context)).toEqual([
      "the conversation is too long, so the 2 oldest tool outputs lost 7112 characters; the model said: played answered 400: prompt is too long",
    ]);
  });

  test("loses images too, which count by their number and not by their bytes", async () => {
    const image = { kind: "image", mediaType: "image/png", base64: "A".repeat(1_000_000) };
    const look = { ...read, run: () => image };
    const plays = [reading(1), reading(2), finishing({ value: "read" })];
    const { agent, provider, context } = reader(plays, 2_500, look);
    await agent.run(context);
    expect(provider.requests.map(({ messages }) => messages.map(({ content }) => content).slice(2))).toEqual([
      [],
      ["", [image]],
      ["", "[image image/png]… [trimmed: this output had 1 image]", "", [image]],
    ]);
  });

  test("is cut further while the model refuses it", async () => {
    const end = holding(4_000, finishing({ value: "read" }));
    const { agent, provider, context } = reader([reading(1), reading(2), reading(3), end, end, end]);
    await agent.run(context);
    expect(lengths(provider.requests.at(-1) as ChatRequest)).toEqual([444, 444, 444]);
    expect(notesOf(context)).toHaveLength(2);
  });

  test("that nothing can shorten ends the run without an answer", async () => {
    const end = holding(10, {});
    const { agent, provider, context } = reader([reading(1), end, end]);
    const run = agent.run(context);
    await expect(run).rejects.toThrow(NoAnswerError);
    await expect(run).rejects.toThrow("does not fit the model's context: played answered 400");
    expect(provider.requests).toHaveLength(3);
  });

  test("is cut before it is sent where the agent has a token budget", async () => {
    const usage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 0, reasoningTokens: 0 };
    const plays = [{ ...reading(1), usage }, reading(2), finishing({ value: "read" })];
    const { agent, provider, context } = reader(plays, 2_000);
    await agent.run(context);
    expect(provider.requests.map(lengths)).toEqual([[], [4_000], [444, 4_000]]);
    expect(notesOf(context)).toEqual([expect.stringContaining("it is over 2000 tokens (contextTokens)")]);
  });
});
