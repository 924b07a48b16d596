import { expect, test } from "vitest";
import { findRoute } from "../../../src/gateway/http/request.ts";
import { upstreamKey, upstreamUrl } from "../../../src/gateway/http/upstream.ts";

const upstream = {
  ...{ providerKey: "any", keyVariable: null, apiKey: null, headers: {} },
  ...{ baseUrl: "http://models/base/" },
};

test.each([
  ["/openai/v1/chat/completions", "chat", null, "chat/completions"],
  ["/openai/chat/completions", "chat", null, "chat/completions"],
  ["/openai/v1/v1/responses", "responses", null, "responses"],
  ["/openai/v1/embeddings", "chat", null, "embeddings"],
  ["/anthropic/messages", "messages", null, "v1/messages"],
  ["/anthropic/v1/messages", "messages", null, "v1/messages"],
  ["/anthropic/v1/messages/count_tokens", null, null, "v1/messages/count_tokens"],
  ["/gemini/v1beta/models/flash:generateContent", "gemini", "flash", "v1beta/models/flash:generateContent"],
  ["/gemini/v1/models/a%20b:embedContent", "gemini", "a b", "v1/models/a%20b:embedContent"],
  ["/gemini/models/flash:countTokens", null, "flash", "v1beta/models/flash:countTokens"],
])("POST %s is a call of %s, model %s, at %s", (pathname, protocol, model, sent) => {
  const route = findRoute("POST", pathname);
  expect(route).toMatchObject({ protocol, model });
  if (route === null) return;
  const { family } = route;
  expect(upstreamUrl({ ...upstream, family }, route, "")).toBe(`http://models/base/${sent}`);
});

test.each([
  ["/openai/v1/models", "models"],
  ["/openai/v1/models/gpt-5-mini", "models/gpt-5-mini"],
  ["/openai/v1/models/ft:gpt-4o:org::id", "models/ft:gpt-4o:org::id"],
  ["/openai/v1/models/org%2Fmodel-3.1", "models/org%2Fmodel-3.1"],
])("GET %s asks for %s", (pathname, path) => {
  expect(findRoute("GET", pathname)).toMatchObject({ protocol: null, path });
});

test.each([
  ["GET", "/openai/v1/chat/completions"],
  ["DELETE", "/openai/v1/models/mine"],
  ["POST", "/openai/v1/files"],
  ["POST", "/openai/v1/responses/1/cancel"],
  ["POST", "/anthropic/v1/organizations/invites"],
  ["POST", "/anthropic/v1/chat/completions"],
  ["POST", "/gemini/v1beta/models/../files"],
  ["POST", "/gemini/upload/v1beta/files"],
  ["GET", "/openai/v1/models/..%2ffiles"],
  ["GET", "/openai/v1/models/gpt%2F..%2F..%2ffiles"],
  ["GET", "/openai/v1/models/..%5cfiles"],
  ["GET", "/openai/v1/models/%2e%2e"],
  ["GET", "/openai/v1/models/..%252ffiles"],
  ["GET", "/openai/v1/models/a%0d%0aHost:%20else"],
  ["GET", "/openai/v1/models/a%3fkey=b"],
  ["GET", "/anthropic/v1/models/..%2f..%2fv1%2ffiles"],
  ["GET", "/gemini/v1beta/models/..%2ffiles"],
  ["POST", "/gemini/v1beta/models/..%2fcachedContents:generateContent"],
  ["POST", "/gemini/v1beta/models/%zz:countTokens"],
  ["POST", "/bedrock/model/invoke"],
  ["POST", "/"],
])("%s %s is not passed on", (method, pathname) => {
  expect(findRoute(method, pathname)).toBeNull();
});

test.each([
  ["openai", "openai", "openai"],
  ["openai", "openai-compatible:local", "openai-compatible:local"],
  ["anthropic", "openai-compatible:local", "anthropic"],
  ["openai", "bedrock", "openai"],
] as const)("an SDK for %s in a run of %s calls %s", (family, runProviderKey, called) => {
  expect(upstreamKey(family, runProviderKey)).toBe(called);
});
