import { describe, expect, test, vi } from "vitest";
import { builtInProviders } from "../../../src/providers/built-in.ts";
import type { ChatReply, Message, ToolSpec } from "../../../src/providers/provider.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { providerContract } from "../../contract/provider/provider.ts";
import { LOOKUP } from "../../contract/provider/requests.ts";
import { answerWithEvents, replyTo } from "../../fixtures/models/opened-provider.ts";
import { chatAnswer, chatAnswers, chatInBody } from "./chat-completions-wire.ts";

const opened = providerContract({
  providerKey: "openai-compatible:my-local",
  model: "llama3.2",
  variables: (url) => ({ MY_LOCAL_BASE_URL: `${url}/v1`, MY_LOCAL_API_KEY: "a-key" }),
  signInWords: "MY_LOCAL_API_KEY",
  inBody: chatInBody,
  answers: chatAnswers,
});

const generate = (given: object = {}): Promise<ChatReply> => opened.provider.generate(opened.request(given));
const answerNext = (body: object) => opened.server.answerNext({ kind: "raw", body });
const lookupCall = {
  id: "call_1",
  type: "function",
  function: { name: "lookup", arguments: '{"country":"France"}' },
};

describe("quirks", () => {
  test.each(["deepseek-v4-flash", "moonshotai/kimi-k2-thinking", "qwen3.5-plus"])(
    "openai-compatible: %s is asked in words for a tool that it cannot be made to call",
    async (model) => {
      const body = await opened.bodyOf({ model, tools: [LOOKUP], toolChoice: { name: "lookup" } });
      expect(body).toMatchObject({
        tool_choice: "auto",
        messages: [{}, { role: "user", content: expect.stringContaining("tool lookup") }],
      });
    },
  );

  test("openai-compatible: the key goes along as a bearer token", async () => {
    await opened.bodyOf({});
    expect(opened.server.last).toMatchObject({
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer a-key" },
    });
  });

  test("openai-compatible: a server without a key gets no authorization", async () => {
    const variables = { MY_LOCAL_BASE_URL: `${opened.server.url}/v1` };
    const open = builtInProviders({ clock: systemClock, scripts: {}, variables });
    opened.server.mock.on({}, { content: "Paris" });
    await (await open("openai-compatible:my-local")).generate(opened.request());
    expect(opened.server.last.headers).not.toHaveProperty("authorization");
  });

  test("openai-compatible: nothing of an OpenAI account reaches another server", async () => {
    const secrets = {
      ...{ OPENAI_API_KEY: "sk-secret", OPENAI_ADMIN_KEY: "sk-admin-secret", OPENAI_ORG_ID: "org-secret" },
      ...{ OPENAI_PROJECT_ID: "proj-secret", OPENAI_CUSTOM_HEADERS: "x-proxy: header-secret" },
    };
    for (const [name, value] of Object.entries(secrets)) vi.stubEnv(name, value);
    const variables = { MY_LOCAL_BASE_URL: `${opened.server.url}/v1`, MY_LOCAL_API_KEY: "a-key" };
    const provider = await builtInProviders({ clock: systemClock, scripts: {}, variables })(
      "openai-compatible:my-local",
    );
    opened.server.mock.on({}, { content: "Paris" });
    await provider.generate(opened.request()).finally(() => vi.unstubAllEnvs());
    expect(JSON.stringify(opened.server.last)).not.toContain("secret");
  });

  test("openai-compatible: thinking goes back unchanged with the tool's result", async () => {
    const thinking = {
      reasoning_content: "Hm.",
      reasoning_details: [{ type: "reasoning.encrypted", data: "x" }],
    };
    answerNext(chatAnswer({ ...thinking, tool_calls: [lookupCall] }, "tool_calls"));
    const { content, toolCalls, opaque } = await generate({ tools: [LOOKUP] });
    const messages: Message[] = [
      { role: "user", content: "Capital of France?" },
      { role: "assistant", content, toolCalls, ...(opaque === undefined ? {} : { opaque }) },
      { role: "tool", toolCallId: "call_1", content: "Paris", isError: false },
    ];
    expect(await opened.bodyOf({ messages, tools: [LOOKUP] })).toMatchObject({
      messages: [
        { role: "user" },
        { role: "assistant", tool_calls: [lookupCall], ...thinking },
        { role: "tool" },
      ],
    });
  });

  test("openai-compatible: thinking is not sent back where no tool was called", async () => {
    answerNext(chatAnswer({ content: "Hi", reasoning_content: "Hm." }, "stop"));
    const { content, opaque } = await generate();
    const messages: Message[] = [
      { role: "user", content: "Hello" },
      { role: "assistant", content, toolCalls: [], ...(opaque === undefined ? {} : { opaque }) },
      { role: "user", content: "And?" },
    ];
    expect(JSON.stringify(await opened.bodyOf({ messages }))).not.toContain("Hm.");
  });

  test("openai-compatible: a schema with optional properties is sent as not strict", async () => {
    const outputSchema: ToolSpec["inputSchema"] = {
      type: "object",
      properties: { city: { type: "string" } },
    };
    expect(await opened.bodyOf({ outputSchema })).toMatchObject({
      response_format: { json_schema: { strict: false, schema: outputSchema } },
    });
  });

  test("openai-compatible: an error within a 200 is a failed call", async () => {
    answerNext({ error: { code: 429, message: "the model behind is busy" } });
    await expect(generate()).rejects.toMatchObject({ code: "rate_limited", retryable: true });
  });

  test.each([
    ["insufficient_quota", { code: "provider_error", retryable: false }],
    ["rate_limit_exceeded", { code: "rate_limited", retryable: true }],
    [400, { code: "provider_error", retryable: false }],
    [503, { code: "provider_error", retryable: true }],
  ])("openai-compatible: the error %s within a stream keeps its meaning", async (code, expected) => {
    answerWithEvents(opened, { error: { code, message: "no" } });
    await expect(replyTo(opened, { stream: true })).rejects.toMatchObject(expected);
  });

  test("openai-compatible: a tool round that ends with stop is a tool round", async () => {
    answerNext(chatAnswer({ tool_calls: [lookupCall] }, "stop"));
    expect((await generate({ tools: [LOOKUP] })).finishReason).toBe("tool_calls");
  });

  test("openai-compatible: tool calls without ids get ids of their own", async () => {
    const { id: _id, ...noId } = lookupCall;
    answerNext(chatAnswer({ tool_calls: [noId, noId] }, "tool_calls"));
    const { toolCalls } = await generate({ tools: [LOOKUP] });
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2);
  });

  test("openai-compatible: arguments given as an object are taken as they are", async () => {
    const asObject = { ...lookupCall, function: { name: "lookup", arguments: { country: "France" } } };
    answerNext(chatAnswer({ tool_calls: [asObject] }, "tool_calls"));
    expect((await generate({ tools: [LOOKUP] })).toolCalls).toMatchObject([{ input: { country: "France" } }]);
  });

  test("openai-compatible: a reply without usage has unknown usage", async () => {
    const { usage: _usage, ...rest } = chatAnswer({ content: "Paris" }, "stop");
    answerNext(rest);
    expect((await generate()).usage).toBeNull();
  });

  test("openai-compatible: a stream is asked for its usage", async () => {
    opened.server.mock.on({}, { content: "Paris" });
    await Array.fromAsync(opened.provider.stream?.(opened.request()) ?? []);
    expect(opened.server.last.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });
});
