import { expect, test } from "vitest";
import type { ChatRequest, Message } from "../../src/providers/provider.ts";
import { LOOKUP } from "../contract/provider/requests.ts";
import { openedProvider } from "../fixtures/models/opened-provider.ts";
import { ANTHROPIC } from "./anthropic/wire.ts";
import { BEDROCK, stubAccount } from "./bedrock/wire.ts";

stubAccount();
const anthropic = openedProvider(ANTHROPIC);
const bedrock = openedProvider(BEDROCK);

const round = (id: string): Message[] => [
  { role: "assistant", content: "", toolCalls: [{ id, name: "lookup", input: { country: "Peru" } }] },
  { role: "tool", toolCallId: id, content: "Lima", isError: false },
];
const ASKED: Partial<ChatRequest> = {
  tools: [LOOKUP],
  messages: [
    { role: "system", content: "You are terse." },
    { role: "user", content: "Capital of Peru?" },
    ...[...round("call_a"), ...round("call_b")],
  ],
};

const MARK = { cache_control: { type: "ephemeral" } };
const POINT = { cachePoint: { type: "default" } };

/** Where a body has marks for the cache. */
function marksIn(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "cache_control" in value || "cachePoint" in value ? [path] : [];
  return [...own, ...Object.entries(value).flatMap(([key, inner]) => marksIn(inner, `${path}/${key}`))];
}

test("Anthropic caches the system prompt and the last two turns of the user", async () => {
  const body = await anthropic.bodyOf({ ...ASKED, cache: true });
  expect(marksIn(body).toSorted()).toEqual(["/messages/2/content/0", "/messages/4/content/0", "/system/0"]);
  expect(body).toMatchObject({
    system: [{ type: "text", text: "You are terse.", ...MARK }],
    messages: [{}, {}, {}, {}, { content: [{ type: "tool_result", tool_use_id: "call_b", ...MARK }] }],
  });
});

test("Bedrock caches the system prompt and the last two turns of the user", async () => {
  const body = await bedrock.bodyOf({ ...ASKED, cache: true });
  expect(marksIn(body).toSorted()).toEqual(["/messages/2/content/1", "/messages/4/content/1", "/system/1"]);
  expect(body).toMatchObject({
    system: [{ text: "You are terse." }, POINT],
    messages: [{}, {}, {}, {}, { content: [{ toolResult: { toolUseId: "call_b" } }, POINT] }],
  });
});

test("what is marked does not change what was sent before", async () => {
  const whole = await anthropic.bodyOf({ ...ASKED, cache: true });
  const earlier = await anthropic.bodyOf({
    ...ASKED,
    messages: ASKED.messages?.slice(0, 4) ?? [],
    cache: true,
  });
  expect(unmarked(whole).messages.slice(0, 3)).toEqual(unmarked(earlier).messages);
  expect(unmarked(whole).system).toEqual(unmarked(earlier).system);
});

const unmarked = (body: object): { messages: unknown[]; system: unknown } =>
  JSON.parse(JSON.stringify(body, (key, value) => (key === "cache_control" ? undefined : value)));

test.each([
  ["unless asked for", anthropic, {}],
  ["where it is switched off", bedrock, { cache: false }],
  ["for a model of another maker", anthropic, { model: "glm-5", cache: true }],
  ["for a model without a cache", bedrock, { model: "anthropic.claude-3-haiku-20240307-v1:0", cache: true }],
  ["for a model that caches by itself", bedrock, { model: "us.amazon.nova-lite-v1:0", cache: true }],
])("nothing is marked %s", async (_, opened, given) => {
  expect(marksIn(await opened.bodyOf({ ...ASKED, ...given }))).toEqual([]);
});
