import { describe, expect, test } from "vitest";
import * as z from "zod";
import { builtInProviders } from "../../src/providers/built-in.ts";
import { ChatReply, type ChatRequest, type Message, ProviderError } from "../../src/providers/provider.ts";
import { type ScriptRule, Scripts } from "../../src/providers/scripted.ts";
import { FakeClock } from "../fixtures/gateway/fake-clock.ts";

const ask = (text: string): Message => ({ role: "user", content: text });
const said: Message = { role: "assistant", content: "Hm.", toolCalls: [] };

/** What a model with these rules replies, once all the time that it takes has passed. */
async function play(
  rules: readonly ScriptRule[],
  request: Partial<ChatRequest> = {},
  clock = new FakeClock(),
): Promise<ChatReply> {
  const scripts = Scripts.parse({ m: rules });
  const provider = await builtInProviders({ clock, scripts, variables: {} })("scripted");
  return clock.run(provider.generate({ model: "m", messages: [ask("Capital of Peru?")], ...request }));
}

describe("a scripted model", () => {
  test("says what the first rule that fits says, as the contract has it", async () => {
    const rules = [{ when: "France", say: "Paris" }, { when: "Peru", say: "Lima" }, { say: "Hm." }];
    const reply = await play(rules);
    expect(ChatReply.parse(reply)).toEqual(reply);
    expect(reply).toMatchObject({ content: "Lima", toolCalls: [], finishReason: "stop", id: null });
    expect(await play(rules, { messages: [ask("Why?")] })).toMatchObject({ content: "Hm." });
  });

  test("calls tools, each call with an id of its own round", async () => {
    const rules = [{ turn: 1, call: { tool: "lookup", input: { country: "Peru" } } }, { say: "Lima" }];
    const { toolCalls, content, finishReason } = await play(rules);
    expect(toolCalls).toEqual([{ id: "call_1", name: "lookup", input: { country: "Peru" } }]);
    expect(finishReason).toBe("tool_calls");
    const result: Message = { role: "tool", toolCallId: "call_1", content: "Lima", isError: false };
    const messages: Message[] = [ask("Capital of Peru?"), { role: "assistant", content, toolCalls }, result];
    expect(await play(rules, { messages })).toMatchObject({ content: "Lima", toolCalls: [] });
  });

  test.each<[what: string, messages: Message[], content: string]>([
    ["its first turn", [ask("Peru")], "first"],
    ["its second turn", [ask("Peru"), said, ask("And?")], "second"],
    ["any other", [ask("Peru"), said, ask("And?"), said, ask("And?")], "later"],
  ])("tells %s by what it said before", async (_what, messages, content) => {
    const rules = [{ turn: 1, say: "first" }, { turn: 2, say: "second" }, { say: "later" }];
    expect(await play(rules, { messages })).toMatchObject({ content });
  });

  test("looks for words in the first thing the user said, parts of text included", async () => {
    const parts: Message = {
      role: "user",
      content: [
        { kind: "image", mediaType: "image/png", base64: "" },
        { kind: "text", text: "Peru?" },
      ],
    };
    const rules = [{ when: "Peru", say: "Lima" }, { say: "Hm." }];
    expect(await play(rules, { messages: [parts, said, ask("France?")] })).toMatchObject({ content: "Lima" });
    expect(await play(rules, { messages: [ask("France?"), said, parts] })).toMatchObject({ content: "Hm." });
    expect(await play(rules, { messages: [] })).toMatchObject({ content: "Hm." });
  });

  test("counts the same tokens every time, unless the rule says them", async () => {
    const { usage } = await play([{ say: "Lima" }]);
    expect(usage?.inputTokens).toBeGreaterThan(0);
    expect((await play([{ say: "Lima" }])).usage).toEqual(usage);
    const own = { inputTokens: 20, cachedInputTokens: 5, cacheWriteTokens: 3 };
    expect((await play([{ say: "Lima", usage: own }])).usage).toEqual({ ...usage, ...own });
  });

  test("takes its time, on the clock that it is given", async () => {
    const clock = new FakeClock();
    await play([{ say: "Lima", latencyMs: 250 }], {}, clock);
    expect(clock.monotonicMs()).toBe(250);
  });
});

describe("a scripted failure", () => {
  test.each([
    ["rate_limited", true],
    ["provider_error", false],
  ] as const)("is %s, to be tried again: %s", async (fail, retryable) => {
    const failure = await play([{ fail }]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProviderError);
    expect(failure).toMatchObject({ code: fail, retryable, message: `the script answers ${fail}` });
  });

  test.each<[what: string, rules: ScriptRule[], model: string, message: string]>([
    [
      "a model without a script",
      [],
      "other",
      'no script for the model "other"; the definition\'s `scripts` has m',
    ],
    ["a conversation without a rule", [{ when: "France" }], "m", 'no rule for "Capital of Peru?"'],
  ])("of %s is not tried again and says what is missing", async (_what, rules, model, message) => {
    const failure = await play(rules, { model }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "provider_error", retryable: false });
    expect(failure).toMatchObject({ message: expect.stringContaining(message) });
  });

  test("does not come where the call is stopped: it ends with the reason", async () => {
    const stop = new AbortController();
    const scripts = Scripts.parse({ m: [{ say: "Lima", latencyMs: 60_000 }] });
    const provider = await builtInProviders({ clock: new FakeClock(), scripts, variables: {} })("scripted");
    const call = provider.generate({ model: "m", messages: [] }, { signal: stop.signal });
    stop.abort(new Error("no longer needed"));
    await expect(call).rejects.toThrow("no longer needed");
  });
});

test.each([{ sey: "Lima" }, { turn: 0 }, { latencyMs: -1 }, { fail: "timeout" }])("%j is no rule", (rule) => {
  expect(z.safeParse(Scripts, { m: [rule] }).success).toBe(false);
});
