import fc from "fast-check";
import { expect, test } from "vitest";
import { failure } from "../../../src/domain/run/failure.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import {
  aBody,
  aLogEntry,
  anEvaluation,
  aProblem,
  aRunId,
  problemPart,
} from "../../fixtures/records/a-log-entry.ts";
import { printed } from "../../fixtures/records/captured-output.ts";
import { collect } from "./collect.ts";
import type { StoreOpener } from "./opener.ts";

/** What a store promises of small heads and whole bodies. */
export function bodyTests(stores: StoreOpener): void {
  test("a body with nothing but a small result comes back", async () => {
    const store = await stores.created();
    await store.saveEntry(aLogEntry({ result: null }), aBody({ result: null }));
    await store.saveEntry(aLogEntry({ index: 1 }), aBody());
    expect(await store.readBody(anEvaluation().id, aRunId(0), 1)).toEqual(aBody({ result: null }));
    expect(await store.readBody(anEvaluation().id, aRunId(1), 1)).toEqual(aBody());
    expect(await store.readBody(anEvaluation().id, aRunId(1), 1, 1)).toEqual(aBody());
    expect(await store.readBody(anEvaluation().id, aRunId(1), 2, 1)).toBeNull();
  });

  test("a transcript and output come back on demand", async () => {
    const store = await stores.created();
    const body = aBody({
      transcript: [
        { kind: "tool_call", atMs: 1, id: "1", tool: "look", input: { at: "map" } },
        { kind: "tool_result", atMs: 2, id: "1", tool: "look", output: null, isError: false },
        { kind: "note", atMs: 3, text: "done" },
      ],
      stderr: { head: "a", tail: "z", bytes: 100, droppedBytes: 98 },
    });
    await store.saveEntry(aLogEntry(), body);
    expect(await store.readBody(anEvaluation().id, aRunId(0), 1)).toEqual(body);
  });

  test("a large result is only in the body", async () => {
    const store = await stores.created();
    const result = { text: "é".repeat(3_000) };
    const entry = aLogEntry({ result });
    await store.saveEntry(entry, aBody({ result }));
    const [found] = await collect(store.entries(entry.evaluationId));
    expect(found).toEqual({ ...entry, result: null });
    expect(found?.resultBytes).toBeGreaterThan(6_000);
    expect((await store.readBody(entry.evaluationId, entry.runId, 1))?.result).toEqual(result);
  });

  test("a result of 4,096 bytes is in the entry and one byte more is not", async () => {
    const store = await stores.created();
    for (const [index, length] of [4_094, 4_095].entries()) {
      const result = "x".repeat(length);
      await store.saveEntry(aLogEntry({ index, result }), aBody({ result }));
    }
    const found = await collect(store.entries(anEvaluation().id));
    expect(found.map(({ result }) => result === null)).toEqual([false, true]);
  });

  test.each([
    ["a NUL", "a\0b"],
    ["lone surrogates", "\udc00a\ud800"],
    ["emoji and quotes", '😀 "it\'s" ` $  \\ -- ; DROP TABLE entries'],
    ["line ends", "a\r\nb\u2028c\n"],
    ["a line of 1 MB", "x".repeat(1_000_000)],
    ["deep JSON as text", "[".repeat(100_000)],
  ])("%s survives in result, problem and output", async (_what, text) => {
    const problem = aProblem({ problem: text, expected: { [text]: text }, tags: [text] });
    const store = await stores.created([problem]);
    const entry = aLogEntry({ ...problemPart(problem), result: { [text]: text } });
    const body = aBody({ result: { [text]: text }, stdout: printed(text) });
    await store.saveEntry(entry, body);
    const [found] = await collect(store.entries(entry.evaluationId));
    expect(found?.problem === text && found.tags[0] === text).toBe(true);
    expect(JSON.stringify(found?.expected) === JSON.stringify(problem.expected)).toBe(true);
    const read = await store.readBody(entry.evaluationId, entry.runId, 1);
    expect(JSON.stringify(read) === JSON.stringify(body)).toBe(true);
  });

  test("a deeply nested result hides no other entry", async () => {
    const store = await stores.created();
    const result = JSON.parse(`${"[".repeat(2_000)}${"]".repeat(2_000)}`);
    await store.saveEntry({ ...aLogEntry({ result: null }), result, resultBytes: 4_000 }, aBody({ result }));
    await store.saveEntry(aLogEntry({ index: 1 }), aBody());
    expect(await collect(store.entries(anEvaluation().id))).toHaveLength(2);
  });

  test("long texts are cut with a mark that says how much is missing", async () => {
    const store = await stores.created();
    await store.saveEntry(aLogEntry({ reason: "r".repeat(10_000) }), aBody());
    const [found] = await collect(store.entries(anEvaluation().id));
    const [, kept = "", missing] = found?.reason?.match(/^(r+)… \((\d+) more characters\)$/) ?? [];
    expect(kept.length).toBeGreaterThan(1_000);
    expect(kept.length + Number(missing)).toBe(10_000);
  });

  test("what an entry says of its run is at most 8 KB, whatever happened", async () => {
    await fc.assert(
      fc.asyncProperty(hostileEntries, async (entry) => {
        const store = await stores.created();
        await store.saveEntry(entry, aBody({ result: entry.result }));
        const [found] = await collect(store.entries(entry.evaluationId));
        const { problem: _problem, expected: _expected, tags: _tags, ...head } = found ?? aLogEntry();
        expect(Buffer.byteLength(JSON.stringify(head))).toBeLessThanOrEqual(8_192);
        expect(head.failure?.cause).toBe(entry.failure?.cause);
        const body = await store.readBody(entry.evaluationId, entry.runId, entry.round);
        expect(body?.result).toEqual(entry.result);
      }),
      { numRuns: 60 },
    );
  });
}

/** Strings whose JSON is up to six times as long as they are. */
const hostileText = fc
  .tuple(fc.constantFrom("x", "é", "😀", "\0", '"', "\ud800", "日"), fc.integer({ min: 0, max: 12_000 }))
  .map(([unit, count]) => unit.repeat(count));

const hostileEntries: fc.Arbitrary<LogEntry> = fc
  .record({
    reason: fc.option(hostileText),
    message: hostileText,
    attempts: fc.array(hostileText, { maxLength: 40 }),
    stdout: hostileText,
    stderr: hostileText,
    result: fc.option(hostileText),
    model: fc.string({ minLength: 1, maxLength: 200 }),
  })
  .map(({ reason, message, attempts, stdout, stderr, result, model }) => {
    const { startedAt, endedAt } = aLogEntry();
    return aLogEntry({
      model,
      reason,
      result,
      failure: failure("crashed", message),
      attempts: attempts.map((text, number) => ({
        number: number + 1,
        startedAt,
        endedAt,
        cause: "crashed",
        message: text,
      })),
      stdout: { head: stdout, bytes: stdout.length },
      stderr: { head: stderr, bytes: stderr.length },
    });
  });
