import { PROVIDERS_OR_POLICIES } from "@huggingface/inference";
import { describe, expect, test } from "vitest";
import { builtInProviders } from "../../../src/providers/built-in.ts";
import type { ChatProvider, ChatReply, Message } from "../../../src/providers/provider.ts";
import { HUGGINGFACE_PROVIDERS } from "../../../src/providers/table.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { providerContract } from "../../contract/provider/provider.ts";
import { CITY_SCHEMA, LOOKUP } from "../../contract/provider/requests.ts";
import { chatAnswer, chatAnswers, chatInBody } from "../openai/chat-completions-wire.ts";

const opened = providerContract({
  providerKey: "huggingface:together",
  model: "meta-llama/Llama-3.3-70B-Instruct",
  variables: (url) => ({ HF_TOKEN: "hf_test", HF_BASE_URL: url }),
  signInWords: "HF_TOKEN",
  inBody: {
    ...chatInBody,
    outputSchema: { response_format: { type: "json_schema", schema: CITY_SCHEMA } },
  },
  answers: chatAnswers,
});

const generate = (given: object = {}): Promise<ChatReply> => opened.provider.generate(opened.request(given));
const open = async (providerKey: string, variables: Record<string, string> = {}): Promise<ChatProvider> =>
  builtInProviders({
    clock: systemClock,
    scripts: {},
    variables: { HF_TOKEN: "hf_test", HF_BASE_URL: opened.server.url, ...variables },
  })(providerKey);

describe("quirks", () => {
  test("huggingface: a base URL keeps the hub from being asked", async () => {
    await opened.bodyOf({});
    expect(opened.server.sent).toMatchObject([
      { method: "POST", path: "/together/v1/chat/completions", headers: { authorization: "Bearer hf_test" } },
    ]);
  });

  test("huggingface: two providers of one model do not get into each other's way", async () => {
    opened.server.mock.on({}, { content: "Paris" });
    await (await open("huggingface:groq")).generate(opened.request());
    await (await open("huggingface:cerebras")).generate(opened.request());
    expect(opened.server.sent.map(({ path }) => path)).toEqual([
      "/groq/openai/v1/chat/completions",
      "/cerebras/v1/chat/completions",
    ]);
  });

  test("huggingface: without a provider the router chooses one", async () => {
    opened.server.mock.on({}, { content: "Paris" });
    const provider = await open("huggingface");
    expect(await provider.generate(opened.request())).toMatchObject({ content: "Paris" });
    expect(opened.server.last.path).toBe("/v1/chat/completions");
  });

  test("huggingface: any token goes to a base URL, and /v1 at its end does not count twice", async () => {
    opened.server.mock.on({}, { content: "Paris" });
    const variables = { HF_TOKEN: "some-key", HF_BASE_URL: `${opened.server.url}/v1/` };
    await (await open("huggingface", variables)).generate(opened.request());
    expect(opened.server.last).toMatchObject({
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer some-key" },
    });
  });

  test("huggingface: together gets an output schema in its own shape", async () => {
    const body = await opened.bodyOf({ outputSchema: CITY_SCHEMA });
    expect(body).toMatchObject({ response_format: { type: "json_schema", schema: CITY_SCHEMA } });
  });

  test("huggingface: other providers get an output schema in OpenAI's shape", async () => {
    opened.server.mock.on({}, { content: "{}" });
    await (await open("huggingface")).generate(opened.request({ outputSchema: CITY_SCHEMA }));
    expect(opened.server.last.body).toMatchObject({
      response_format: { type: "json_schema", json_schema: { name: "answer", schema: CITY_SCHEMA } },
    });
  });

  test("huggingface: thinking goes back unchanged with the tool's result", async () => {
    const call = { id: "call_1", type: "function", function: { name: "lookup", arguments: "{}" } };
    const body = chatAnswer({ reasoning_content: "Hm.", tool_calls: [call] }, "tool_calls");
    opened.server.answerNext({ kind: "raw", body });
    const { content, toolCalls, opaque } = await generate({ tools: [LOOKUP] });
    const messages: Message[] = [
      { role: "user", content: "Capital of France?" },
      { role: "assistant", content, toolCalls, ...(opaque === undefined ? {} : { opaque }) },
      { role: "tool", toolCallId: "call_1", content: "Paris", isError: false },
    ];
    expect(await opened.bodyOf({ messages, tools: [LOOKUP] })).toMatchObject({
      messages: [{ role: "user" }, { role: "assistant", reasoning_content: "Hm." }, { role: "tool" }],
    });
  });

  test("huggingface: a 503, which its SDK would repeat for ever, is sent once", async () => {
    opened.server.mock.on({}, { error: { message: "loading" }, status: 503 });
    await expect(generate()).rejects.toMatchObject({ code: "provider_error", retryable: true });
    expect(opened.server.sent).toHaveLength(1);
  });

  test.each([
    { error: { message: "no such thing" } },
    { error: "no such thing" },
    { message: "no such thing" },
    { detail: "no such thing" },
  ])("huggingface: the reason is found in %j", async (body) => {
    opened.server.answerNext({ kind: "raw", status: 400, body });
    await expect(generate()).rejects.toThrow(/answered 400: no such thing$/);
  });

  test("huggingface: a provider that serves no chat is not tried again", async () => {
    const provider = await open("huggingface:fal-ai");
    await expect(provider.generate(opened.request())).rejects.toMatchObject({
      code: "provider_error",
      retryable: false,
    });
  });

  test("huggingface: its providers are those of the SDK", () => {
    expect(HUGGINGFACE_PROVIDERS).toEqual(PROVIDERS_OR_POLICIES);
  });

  test("huggingface: an unknown provider is refused with those that are known", async () => {
    await expect(open("huggingface:nowhere")).rejects.toThrow(
      /no provider "nowhere"; the providers are .*together/,
    );
  });
});
