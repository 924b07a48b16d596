import { expect, test } from "vitest";
import { ProviderError } from "../../../src/providers/provider.ts";
import { nestedFields, nestedJson } from "../../fixtures/records/nested-json.ts";
import { collect } from "../store/collect.ts";
import type { ProviderOpener } from "./opener.ts";
import { LOOKUP } from "./requests.ts";

/** What a call that fails becomes, always after one single request. */
export function failureTests(name: string, opened: ProviderOpener): void {
  test(`${name}: a 429 is rate_limited and says how long to wait`, async () => {
    opened.server.mock.on({}, { error: { message: "slow down" }, status: 429, retryAfter: 7 });
    expect(await failureOf(opened)).toMatchObject({ code: "rate_limited", retryable: true, waitMs: 7_000 });
  });

  test.each([500, 502, 503, 529])(`${name}: a %i may be tried again`, async (status) => {
    opened.server.mock.on({}, { error: { message: "it broke" }, status });
    expect(await failureOf(opened)).toMatchObject({ code: "provider_error", retryable: true });
  });

  test.each([400, 404, 422])(`${name}: a %i is not tried again and keeps the reason`, async (status) => {
    opened.server.mock.on({}, { error: { message: "no such model" }, status });
    const failure = await failureOf(opened);
    expect(failure).toMatchObject({ code: "provider_error", retryable: false });
    expect(failure.message).toContain("no such model");
    expect(failure.message).toContain(opened.tested.providerKey);
  });

  test.each([401, 403])(`${name}: a %i is not tried again and names the key to look at`, async (status) => {
    opened.server.mock.on({}, { error: { message: "who are you?" }, status });
    const failure = await failureOf(opened);
    expect(failure).toMatchObject({ code: "provider_error", retryable: false });
    expect(failure.message).toContain(opened.tested.signInWords);
  });

  test(`${name}: a body that is no JSON is a provider error`, async () => {
    opened.server.mock.on({}, { content: "Paris" }, { chaos: { malformedRate: 1 } });
    expect(await failureOf(opened)).toMatchObject({ code: "provider_error" });
  });

  test(`${name}: an answer of another shape is not asked for again, and what it used is unknown`, async () => {
    opened.server.answerNext({ kind: "raw", body: { hello: "world" } });
    expect(await failureOf(opened)).toMatchObject({ code: "provider_error", retryable: false, usage: null });
  });

  test(`${name}: an answer that cannot be read is not asked for again, and what it used is kept`, async () => {
    const { body, usage } = opened.tested.answers.usage;
    const names = ["choices", "output", "content", "candidates"].filter((key) => key in Object(body));
    const broken = {
      ...Object(body),
      ...Object.fromEntries(names.map((key) => [key, [{ content: { parts: 7 } }]])),
    };
    opened.server.answerNext({ kind: "raw", body: broken });
    const failure = await failureOf(opened);
    expect(failure).toMatchObject({ code: "provider_error", retryable: false });
    expect(failure.usage).toEqual(usage);
  });

  test.each([200, 3_000, 100_000])(
    `${name}: a reply of %i levels is past the limit and not tried again`,
    async (levels) => {
      const usual = JSON.stringify(opened.tested.answers.usage.body);
      for (const deep of [nestedJson(levels), nestedFields(levels)]) {
        opened.server.sent.length = 0;
        opened.server.answerNext({ kind: "raw", body: usual.replace("{", () => `{"more":${deep},`) });
        expect(await failureOf(opened)).toMatchObject({ code: "limit", retryable: false });
      }
    },
  );

  test.each([200, 3_000])(
    `${name}: tool arguments of %i levels are past the limit and not tried again`,
    async (levels) => {
      const call = { name: "lookup", arguments: nestedFields(levels), id: "call_deep" };
      opened.server.mock.on({}, { toolCalls: [call] });
      const request = opened.request({ tools: [LOOKUP] });
      const { provider } = opened;
      const asked = [
        provider.generate(request),
        ...(provider.stream ? [collect(provider.stream(request))] : []),
      ];
      for (const failed of await Promise.allSettled<unknown>(asked))
        expect(failed).toMatchObject({ reason: { code: "limit", retryable: false } });
      expect(opened.server.sent).toHaveLength(asked.length);
    },
  );

  test(`${name}: a connection cut before the answer may be tried again`, async () => {
    opened.server.mock.on({}, { content: "Paris" }, { chaos: { disconnectRate: 1 } });
    expect(await failureOf(opened)).toMatchObject({ code: "provider_error", retryable: true });
  });

  test(`${name}: a connection cut within the answer may be tried again`, async () => {
    opened.server.answerNext({ kind: "half", body: opened.tested.answers.usage.body });
    expect(await failureOf(opened)).toMatchObject({ code: "provider_error", retryable: true });
  });

  test(`${name}: an aborted call ends at once`, async () => {
    opened.server.answerNext({ kind: "silence" });
    const stop = new AbortController();
    const call = opened.provider.generate(opened.request(), { signal: stop.signal });
    const ended = call.catch((error: unknown) => error);
    await expect.poll(() => opened.server.sent.length).toBe(1);
    stop.abort(new Error("no longer needed"));
    expect(await ended).toMatchObject({ message: "no longer needed" });
  });

  test(`${name}: a call that is aborted before it starts sends nothing`, async () => {
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(opened.provider.generate(opened.request(), { signal })).rejects.toThrow("too late");
    expect(opened.server.sent).toEqual([]);
  });
}

async function failureOf(opened: ProviderOpener): Promise<ProviderError> {
  const failure = await opened.provider.generate(opened.request()).catch((error: unknown) => error);
  expect(opened.server.sent).toHaveLength(1);
  if (failure instanceof ProviderError) return failure;
  throw new Error("no ProviderError was thrown", { cause: failure });
}
