import { describe, expect, test } from "vitest";
import type { Checker } from "../../src/checkers/checker.ts";
import { toolCalled, toolSequence } from "../../src/checkers/tool-calls.ts";
import type { TranscriptStep } from "../../src/domain/run/log-entry.ts";
import { aCheckContext, calledTools } from "../fixtures/checkers/a-check-context.ts";
import { runFile } from "../fixtures/run/run-file.ts";

const check = (checker: Checker, transcript: readonly TranscriptStep[]) =>
  checker("any result", null, aCheckContext({ transcript }));

const asked = (...names: readonly string[]): TranscriptStep => ({
  kind: "model_call",
  atMs: 0,
  providerKey: "scripted",
  model: "m",
  request: {},
  reply: { content: "", toolCalls: names.map((name) => ({ id: name, name, input: {} })) },
  error: null,
  usage: null,
  latencyMs: 1,
  retries: 0,
});

describe("toolCalled", () => {
  const transcript = calledTools("search", "read", "search");
  test.each<[string, Checker, boolean, string]>([
    ["a tool that was called", toolCalled("read"), true, "called read once"],
    ["one that was not", toolCalled("write"), false, "did not call write; it called search, read"],
    ["with an input", toolCalled("search", { input: { n: 2 } }), true, 'called search with {"n":2} once'],
    [
      "with another input",
      toolCalled("search", { input: { n: 1 } }),
      false,
      'did not call search with {"n":1}',
    ],
    ["twice", toolCalled("search", { times: 2 }), true, "called search 2 times"],
    ["too often", toolCalled("search", { times: 1 }), false, "called search 2 times, expected once"],
    ["never", toolCalled("write", { times: 0 }), true, "called write never"],
  ])("%s", async (_, checker, correct, reason) => {
    expect(await check(checker, transcript)).toMatchObject({
      correct,
      score: Number(correct),
      reason: expect.stringContaining(reason),
    });
  });
});

describe("toolSequence", () => {
  const transcript = calledTools("search", "read", "read", "write");
  test.each<[string, Checker, boolean, number, string]>([
    ["in order", toolSequence(["search", "write"]), true, 1, "called search, read, read, write"],
    ["out of order", toolSequence(["write", "search"]), false, 0.5, "expected write, search"],
    [
      "with a missing one",
      toolSequence(["search", "sum", "write", "x"]),
      false,
      0.25,
      "expected search, sum",
    ],
    ["exactly", toolSequence(["search", "read", "read", "write"], { exactly: true }), true, 1, "called"],
    [
      "not exactly",
      toolSequence(["search", "write"], { exactly: true }),
      false,
      0.5,
      "expected exactly search, write",
    ],
    ["none at all", toolSequence([]), true, 1, "called search"],
    ["exactly none", toolSequence([], { exactly: true }), false, 0, "expected exactly no tool"],
  ])("%s", async (_, checker, correct, score, reason) => {
    const finding = await check(checker, transcript);
    expect(finding).toMatchObject({ correct, score, reason: expect.stringContaining(reason) });
  });
});

test("an agent that tells of no calls is known by what its model asked for", async () => {
  const transcript = [asked("search", "read"), asked("finish")];
  expect(await check(toolSequence(["search", "read"], { exactly: true }), transcript)).toMatchObject({
    correct: true,
  });
  expect(await check(toolCalled("write"), [asked()])).toMatchObject({
    reason: "did not call write; it called no tool",
  });
});

test("the checker of a run sees its transcript", async () => {
  const { logs } = await runFile("tools-checked", { concurrency: 1 });
  expect(logs.map(({ correct, reason }) => [correct, reason])).toEqual([
    [true, 'called double, double; called double with {"n":2} once'],
    [false, "called no tool, expected double, double"],
  ]);
});
