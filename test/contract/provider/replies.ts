import { expect, test } from "vitest";
import { MAX_TOKENS } from "../../../src/domain/run/amounts.ts";
import { ReportedUsage } from "../../../src/isolation/isolation.ts";
import { ChatReply } from "../../../src/providers/provider.ts";
import type { ProviderOpener } from "./opener.ts";
import { LOOKUP } from "./requests.ts";

const FRANCE = { name: "lookup", arguments: '{"country":"France"}', id: "call_france" };
const PERU = { name: "lookup", arguments: '{"country":"Peru"}', id: "call_peru" };

/** Every protocol's own names; each provider finds those of its protocol. */
export const TWENTY_AND_FIVE = {
  ...{ prompt_tokens: 20, completion_tokens: 5, input_tokens: 20, output_tokens: 5 },
  ...{ promptTokenCount: 20, candidatesTokenCount: 5, inputTokens: 20, outputTokens: 5 },
};

/** What a reply becomes. */
export function replyTests(name: string, opened: ProviderOpener): void {
  const generate = (given = {}) => opened.provider.generate(opened.request(given));

  test(`${name}: text comes with what it used`, async () => {
    opened.server.mock.on({ userMessage: "France" }, { content: "Paris", usage: TWENTY_AND_FIVE });
    const reply = await generate();
    expect(reply).toMatchObject({ content: "Paris", toolCalls: [], finishReason: "stop" });
    expect(reply.usage).toEqual({
      ...{ inputTokens: 20, outputTokens: 5 },
      ...{ cachedInputTokens: 0, reasoningTokens: 0 },
    });
    expect(ChatReply.parse(reply)).toEqual(reply);
  });

  test(`${name}: a tool round ends with the model's answer`, async () => {
    opened.server.mock.on({ hasToolResult: false }, { toolCalls: [FRANCE] });
    opened.server.mock.on({ hasToolResult: true }, { content: "It is Paris." });
    const tools = [LOOKUP];
    const first = await generate({ tools });
    const [call] = first.toolCalls;
    expect(call).toMatchObject({ name: "lookup", input: { country: "France" } });
    expect(first.finishReason).toBe("tool_calls");
    const messages = [
      ...opened.request().messages,
      { role: "assistant", content: first.content, toolCalls: first.toolCalls, ...opaqueOf(first) },
      { role: "tool", toolCallId: call?.id, content: "Paris", isError: false },
    ];
    expect(await generate({ tools, messages })).toMatchObject({ content: "It is Paris.", toolCalls: [] });
  });

  test(`${name}: parallel tool calls keep their order and have ids of their own`, async () => {
    opened.server.mock.on({}, { toolCalls: [FRANCE, PERU] });
    const { toolCalls } = await generate({ tools: [LOOKUP] });
    expect(toolCalls.map(({ input }) => input)).toEqual([{ country: "France" }, { country: "Peru" }]);
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2);
  });

  test(`${name}: text and a tool call come in one reply`, async () => {
    opened.server.mock.on({}, { content: "Let me look.", toolCalls: [FRANCE] });
    const reply = await generate({ tools: [LOOKUP] });
    expect(reply).toMatchObject({ content: "Let me look.", finishReason: "tool_calls" });
    expect(reply.toolCalls).toHaveLength(1);
  });

  test(`${name}: cached and reasoning tokens are part of input and output`, async () => {
    const { body, usage } = opened.tested.answers.usage;
    opened.server.answerNext({ kind: "raw", body });
    expect((await generate()).usage).toEqual(usage);
  });

  test.each(ABSURD)(
    `${name}: a reply that says it used %d tokens is kept, and what it used unknown`,
    async (tokens) => {
      const { body, usage } = opened.tested.answers.usage;
      let read = 0;
      for (const absurd of withEachCount(body, tokens)) {
        opened.server.answerNext({ kind: "raw", body: absurd });
        const reply = await generate();
        expect(reply.content).toBe("Paris");
        if (reply.usage === null) read++;
        // A count that nobody reads, such as a total, changes nothing.
        else expect(reply.usage).toEqual(usage);
      }
      expect(read).toBeGreaterThanOrEqual(Object.keys(COUNTED).filter((key) => usage[key as never]).length);
    },
  );

  test.each(["length", "refusal"] as const)(`${name}: a reply that ended by %s says so`, async (reason) => {
    opened.server.answerNext({ kind: "raw", body: opened.tested.answers[reason] });
    expect(await generate()).toMatchObject({ finishReason: reason, toolCalls: [] });
  });

  test(`${name}: empty content is a reply without text`, async () => {
    opened.server.answerNext({ kind: "raw", body: opened.tested.answers.empty });
    expect(await generate()).toMatchObject({ content: "", toolCalls: [] });
  });
}

/** What no call uses. */
export const ABSURD = [-1, 0.5, MAX_TOKENS + 1, Number.MAX_SAFE_INTEGER, 1e300];
const COUNTED = ReportedUsage.shape;

/** The same answer, once for each count in its usage with that one replaced. */
function* withEachCount(value: unknown, tokens: number, isUsage = false): Generator<unknown> {
  if (isUsage && typeof value === "number") yield tokens;
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    for (const changed of withEachCount(part, tokens, isUsage || key.startsWith("usage"))) {
      yield Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
    }
  }
}

const opaqueOf = ({ opaque }: ChatReply) => (opaque === undefined ? {} : { opaque });
