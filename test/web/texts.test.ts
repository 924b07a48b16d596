import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TranscriptStep } from "../../src/domain/run/log-entry.ts";
import { readByRange } from "../../src/web/data/answers.ts";
import { plainText } from "../../src/web/data/display.ts";
import { newMessages } from "../../src/web/run/new-messages.ts";

const MOVING = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u;

describe("text of an agent", () => {
  test.each([
    ["\u001b[31mred\u001b[0m", "␛[31mred␛[0m"],
    ["a\u0000b\u007f", "a␀b␡"],
    ["\u202egnp.exe", "\\u202egnp.exe"],
    ["lines\nand\ttabs stay", "lines\nand\ttabs stay"],
    ["<script>alert(1)</script>", "<script>alert(1)</script>"],
  ])("%j is shown as %j", (text, shown) => {
    expect(plainText(text)).toBe(shown);
  });

  test("keeps no character that moves, rings or reorders", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(plainText(text)).not.toMatch(MOVING);
      }),
    );
  });
});

describe("a model call", () => {
  const call = (request: unknown) =>
    ({
      kind: "model_call",
      atMs: 0,
      providerKey: "p",
      model: "m",
      request,
      reply: null,
      error: null,
      usage: null,
      latencyMs: 1,
      retries: 0,
    }) as TranscriptStep;
  const system = { role: "system", content: "Be brief." };
  const user = {
    role: "user",
    content: [
      { kind: "text", text: "Hello" },
      { kind: "image", mediaType: "image/png" },
    ],
  };

  test("shows only what the one before did not say", () => {
    const reply = {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "1", name: "look", input: { at: 2 } }],
    };
    const first = call({ messages: [system, user] });
    const second = call({ messages: [system, user, reply] });
    const shown = newMessages([first, second]);
    expect(shown.get(first)?.map(({ role, text }) => [role, text])).toEqual([
      ["system", "Be brief."],
      ["user", "Hello\n[image image/png]"],
    ]);
    expect(shown.get(second)).toEqual([
      { role: "assistant", text: "", calls: [{ name: "look", input: { at: 2 } }] },
    ]);
  });

  test.each([
    ["a Responses call", { input: "Hi" }],
    ["a Chat Completions call", { messages: [{ role: "user", content: "Hi" }] }],
    ["a Gemini call", { contents: [{ role: "user", parts: [{ text: "Hi" }] }] }],
  ])("of an agent's own SDK is read: %s", (_, request) => {
    const step = call(request);
    expect(newMessages([step]).get(step)).toEqual([{ role: "user", text: "Hi", calls: [] }]);
  });

  test("that makes no sense shows nothing and breaks nothing", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (request) => {
        const step = call(request);
        expect(newMessages([step]).has(step)).toBe(true);
      }),
    );
  });
});

test("a text larger than one answer is read in pieces", async () => {
  const bytes = new TextEncoder().encode("größer als eine Antwort");
  const asked: string[] = [];
  const text = await readByRange(async (range) => {
    asked.push(range);
    const from = Number(/\d+/.exec(range)?.[0]);
    const piece = bytes.slice(from, from + 7);
    const headers = { "content-range": `bytes ${from}-${from + piece.length - 1}/${bytes.length}` };
    return new Response(piece, { status: 206, headers });
  });
  expect(text).toBe("größer als eine Antwort");
  expect(asked).toEqual(["bytes=0-", "bytes=7-", "bytes=14-", "bytes=21-"]);
});
