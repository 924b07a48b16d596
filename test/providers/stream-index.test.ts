import { expect, test } from "vitest";
import { readAnthropicStream } from "../../src/providers/anthropic/reply.ts";
import { readConverseStream } from "../../src/providers/bedrock/reply.ts";
import { readChatStream } from "../../src/providers/openai/chat-reply.ts";

const ARGUMENTS = '{"country":"Peru"}';

async function* inTurn<Event>(...events: Event[]): AsyncGenerator<Event> {
  yield* events;
}

/** The stream of one tool call whose events name this index. */
const STREAMS: Readonly<Record<string, (index: number) => AsyncIterable<unknown>>> = {
  "Chat Completions": (index) =>
    readChatStream(
      inTurn<object>(
        { choices: [{ delta: { tool_calls: [{ index, id: "call_a", function: { name: "lookup" } }] } }] },
        { choices: [{ delta: { tool_calls: [{ index, function: { arguments: ARGUMENTS } }] } }] },
        { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
      ),
    ),
  Messages: (index) =>
    readAnthropicStream(
      inTurn<object>(
        { type: "message_start", message: { id: "msg_1" } },
        {
          type: "content_block_start",
          index,
          content_block: { type: "tool_use", id: "call_a", name: "lookup" },
        },
        { type: "content_block_delta", index, delta: { partial_json: ARGUMENTS } },
        { type: "message_delta", delta: { stop_reason: "tool_use" } },
        { type: "message_stop" },
      ),
    ),
  Converse: (contentBlockIndex) =>
    readConverseStream({
      $metadata: {},
      stream: inTurn<never>(
        ...([
          {
            contentBlockStart: {
              contentBlockIndex,
              start: { toolUse: { toolUseId: "call_a", name: "lookup" } },
            },
          },
          { contentBlockDelta: { contentBlockIndex, delta: { toolUse: { input: ARGUMENTS } } } },
          { messageStop: { stopReason: "tool_use" } },
        ] as never[]),
      ),
    }),
};

test.each(Object.keys(STREAMS).flatMap((name) => [0, 1, 4_000_000_000].map((index) => ({ name, index }))))(
  "a stream of $name may begin its calls at the index $index",
  async ({ name, index }) => {
    const chunks = await Array.fromAsync(STREAMS[name]?.(index) ?? []);
    expect(chunks).toMatchObject([
      {
        kind: "reply",
        reply: { toolCalls: [{ id: "call_a", name: "lookup", input: { country: "Peru" } }] },
      },
    ]);
  },
);
