import { expect, test } from "vitest";
import {
  type ChatChunk,
  type ChatReply,
  type ChatRequest,
  ProviderError,
} from "../../../src/providers/provider.ts";
import type { ProviderOpener } from "./opener.ts";
import { ABSURD, TWENTY_AND_FIVE } from "./replies.ts";
import { LOOKUP } from "./requests.ts";

const FRANCE = { name: "lookup", arguments: '{"country":"France"}', id: "call_france" };
const PERU = { name: "lookup", arguments: '{"country":"Peru"}', id: "call_peru" };
const IN_PIECES = { chunkSize: 4 };

/** A stream's pieces, and that it ends with what `generate` gives. */
export function streamTests(name: string, opened: ProviderOpener): void {
  test(`${name}: a stream gives the text in pieces and then the whole reply`, async () => {
    const content = "Paris is the capital of France.";
    opened.server.mock.on({}, { content, usage: TWENTY_AND_FIVE, id: "reply_1" }, IN_PIECES);
    const { texts, reply } = await streamOf(opened);
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.join("")).toBe(content);
    expect(comparable(reply)).toEqual(comparable(await opened.provider.generate(opened.request())));
  });

  test.each(ABSURD)(
    `${name}: a stream that says it used %d tokens is kept, and what it used unknown`,
    async (tokens) => {
      const usage = Object.fromEntries(Object.keys(TWENTY_AND_FIVE).map((key) => [key, tokens]));
      opened.server.mock.on({}, { content: "Paris", usage }, IN_PIECES);
      expect((await streamOf(opened)).reply).toMatchObject({ content: "Paris", usage: null });
    },
  );

  test(`${name}: a stream of tool calls ends with the same calls`, async () => {
    opened.server.mock.on(
      {},
      { toolCalls: [FRANCE, PERU], usage: TWENTY_AND_FIVE, id: "reply_2" },
      IN_PIECES,
    );
    const request = { tools: [LOOKUP] };
    const { texts, reply } = await streamOf(opened, request);
    expect(texts).toEqual([]);
    expect(comparable(reply)).toEqual(comparable(await opened.provider.generate(opened.request(request))));
  });

  test(`${name}: a stream that is cut is a provider error that may be tried again`, async () => {
    opened.server.mock.on({}, { content: "Paris is the capital." }, { ...IN_PIECES, truncateAfterChunks: 3 });
    const failure = await streamOf(opened).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProviderError);
    expect(failure).toMatchObject({ code: "provider_error", retryable: true });
    expect(opened.server.sent).toHaveLength(1);
  });

  test(`${name}: a stream that is refused with a 429 is rate_limited`, async () => {
    opened.server.mock.on({}, { error: { message: "slow down" }, status: 429, retryAfter: 7 });
    const failure = await streamOf(opened).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "rate_limited", retryable: true, waitMs: 7_000 });
    expect(opened.server.sent).toHaveLength(1);
  });

  test(`${name}: an aborted stream ends at once`, async () => {
    const slow = { ...IN_PIECES, streamingProfile: { ttft: 0, tps: 0.1 } };
    opened.server.mock.on({}, { content: "Paris is the capital of France." }, slow);
    const stop = new AbortController();
    const ended = streamOf(opened, {}, stop.signal).catch((error: unknown) => error);
    await expect.poll(() => opened.server.sent.length).toBe(1);
    stop.abort(new Error("no longer needed"));
    expect(await ended).toMatchObject({ message: "no longer needed" });
  });
}

async function streamOf(opened: ProviderOpener, given: Partial<ChatRequest> = {}, signal?: AbortSignal) {
  const chunks: ChatChunk[] = [];
  const options = signal === undefined ? {} : { signal };
  const stream = opened.provider.stream?.(opened.request(given), options) ?? [];
  for await (const chunk of stream) chunks.push(chunk);
  const last = chunks.pop();
  if (last?.kind !== "reply") throw new Error("the stream did not end with a reply");
  return { texts: chunks.map((chunk) => (chunk.kind === "text" ? chunk.text : "")), reply: last.reply };
}

/** Where aimock makes up ids, two calls cannot have the same. */
const comparable = ({ toolCalls, ...reply }: ChatReply) => ({
  content: reply.content,
  finishReason: reply.finishReason,
  usage: reply.usage,
  toolCalls: toolCalls.map(({ name, input }) => ({ name, input })),
});
