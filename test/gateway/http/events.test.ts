import fc from "fast-check";
import { expect, test } from "vitest";
import { readEvents } from "../../../src/gateway/http/protocols.ts";

const line = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, " "));
const end = fc.constantFrom("\n", "\r\n", "\r");

async function* inChunks(text: string, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let bytes = new TextEncoder().encode(text);
  for (const size of [...sizes, bytes.length]) {
    yield bytes.subarray(0, size);
    bytes = bytes.subarray(size);
  }
}

test("events are the same however their bytes are cut", async () => {
  const texts = fc.array(line, { minLength: 1, maxLength: 8 });
  const sizes = fc.array(fc.nat({ max: 9 }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(texts, end, sizes, async (sent, newline, cuts) => {
      const raw = sent.map((text) => `event: a${newline}data: ${text}${newline}${newline}`);
      const events = await Array.fromAsync(readEvents(inChunks(raw.join(""), cuts)));
      expect(events).toEqual(sent.map((data, index) => ({ raw: raw[index], data })));
    }),
  );
});

test.each([
  ["data of several lines", "data: a\ndata: b\n\n", [{ raw: "data: a\ndata: b\n\n", data: "a\nb" }]],
  ["no space after the colon", "data:{}\n\n", [{ raw: "data:{}\n\n", data: "{}" }]],
  ["a comment", ": wait\n\n", [{ raw: ": wait\n\n", data: "" }]],
  ["no blank line at the end", "data: a", [{ raw: "data: a", data: "a" }]],
  ["nothing", "", []],
])("%s", async (_what, text, events) => {
  expect(await Array.fromAsync(readEvents(inChunks(text, [])))).toEqual(events);
});
