import { expect, test } from "vitest";
import type { ChatRequest, Message, ToolSpec } from "../../../src/providers/provider.ts";
import type { ProviderOpener } from "./opener.ts";
import type { InBody } from "./under-test.ts";

export const LOOKUP: ToolSpec = {
  name: "lookup",
  description: "Looks a country up.",
  inputSchema: {
    type: "object",
    properties: { country: { type: "string" } },
    required: ["country"],
    additionalProperties: false,
  },
};

export const CITY_SCHEMA = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const calls = [
  { id: "call_a", name: "lookup", input: { country: "France" } },
  { id: "call_b", name: "lookup", input: { country: "Peru" } },
];

/** Two tools were called at once, and the second one failed. */
export const TOOL_ROUND: Message[] = [
  { role: "user", content: "Capitals of France and Peru?" },
  { role: "assistant", content: "", toolCalls: calls },
  { role: "tool", toolCallId: "call_a", content: "Paris", isError: false },
  { role: "tool", toolCallId: "call_b", content: "no such country", isError: true },
];

/** A tool answered with words and an image. */
export const IMAGE_ROUND: Message[] = [
  ...TOOL_ROUND.slice(0, 2).map(withOneCall),
  {
    role: "tool",
    toolCallId: "call_a",
    content: [
      { kind: "text", text: "A map:" },
      { kind: "image", mediaType: "image/png", base64: PNG },
    ],
    isError: false,
  },
];

/** Every request of the contract, by the name that `inBody` gives it. */
const REQUESTS = {
  system: {
    messages: [
      { role: "system", content: "You are terse." },
      { role: "user", content: "Hello" },
    ],
  },
  toolSpec: { tools: [LOOKUP] },
  toolRound: { tools: [LOOKUP], messages: TOOL_ROUND.slice(0, 3).map(withOneCall) },
  failedTool: { tools: [LOOKUP], messages: TOOL_ROUND },
  image: {
    messages: [
      {
        role: "user",
        content: [
          { kind: "text", text: "What is this?" },
          { kind: "image", mediaType: "image/png", base64: PNG },
        ],
      },
    ],
  },
  toolImage: { tools: [LOOKUP], messages: IMAGE_ROUND },
  outputSchema: { outputSchema: CITY_SCHEMA },
  maxTokens: { maxTokens: 64 },
  temperature: { temperature: 0.5 },
  topP: { topP: 0.5 },
  stop: { stop: ["END"] },
  serviceTier: { serviceTier: "flex" },
  seed: { seed: 7 },
  reasoningEffort: { reasoningEffort: "low" },
} satisfies Record<string, Partial<ChatRequest>>;

const TITLES = [
  ["a system prompt", "system"],
  ["a tool", "toolSpec"],
  ["a tool's result", "toolRound"],
  ["two results of one round, one of them failed,", "failedTool"],
  ["an image", "image"],
  ["an image that a tool gave", "toolImage"],
  ["an output schema", "outputSchema"],
  ["a limit of tokens", "maxTokens"],
  ["a temperature", "temperature"],
  ["a top-p", "topP"],
  ["stop words", "stop"],
  ["a service tier", "serviceTier"],
  ["a seed", "seed"],
  ["a reasoning effort", "reasoningEffort"],
] as const satisfies readonly (readonly [title: string, part: keyof typeof REQUESTS])[];

function withOneCall(message: Message): Message {
  return message.role === "assistant" ? { ...message, toolCalls: calls.slice(0, 1) } : message;
}

/** What goes over the wire for each part of a request. */
export function requestTests(name: string, opened: ProviderOpener): void {
  const { inBody } = opened.tested;

  test.each(TITLES)(`${name}: sends %s as its protocol has it`, async (_title, part) => {
    await expectInBody(opened, REQUESTS[part], inBody[part]);
  });

  test.each([
    ["auto", "auto"],
    ["required", "required"],
    ["none", "none"],
    ["lookup", { name: "lookup" }],
  ] as const)(`${name}: sends the tool choice %s as its protocol has it`, async (choice, toolChoice) => {
    await expectInBody(opened, { tools: [LOOKUP], toolChoice }, inBody.toolChoice[choice]);
  });

  test(`${name}: sends further headers and fields beside its own`, async () => {
    const { furtherFields: body = { metadata: { team: "a" } } } = opened.tested;
    const plain = await opened.bodyOf({ maxTokens: 64 });
    opened.server.mock.on({}, { content: "Paris" });
    await opened.provider.generate(opened.request({ maxTokens: 64 }), { headers: { "x-team": "a" }, body });
    expect(opened.server.last.headers["x-team"]).toBe("a");
    expect(opened.server.last.body).toMatchObject(plain);
    expect(opened.server.last.body).toMatchObject(body);
    const chunks = opened.provider.stream?.(opened.request(), { headers: { "x-team": "b" }, body });
    await Array.fromAsync(chunks ?? []);
    expect(opened.server.last.headers["x-team"]).toBe("b");
    expect(opened.server.last.body).toMatchObject(body);
  });

  test(`${name}: sends no tool choice without tools`, async () => {
    const plain = await opened.bodyOf({});
    expect(await opened.bodyOf({ toolChoice: "required" })).toEqual(plain);
  });
}

/** What the protocol does not have must leave no trace, or the provider would refuse the whole request. */
async function expectInBody(opened: ProviderOpener, request: Partial<ChatRequest>, expected: InBody) {
  const body = await opened.bodyOf(request);
  if (expected !== null) return expect(body).toMatchObject(expected);
  const { toolChoice: _choice, ...rest } = request;
  const plain = await opened.bodyOf(request.tools === undefined ? {} : rest);
  expect(body).toEqual(plain);
}
