import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_TEXT_LEVELS } from "../../src/domain/json.ts";
import type { LogEntry } from "../../src/domain/run/log-entry.ts";
import { FromChild } from "../../src/isolation/isolation.ts";
import { readMessage } from "../../src/isolation/parent/read-message.ts";
import { nestedFields, nestedJson } from "../fixtures/records/nested-json.ts";
import { runFile } from "../fixtures/run/run-file.ts";

type Kind = FromChild["kind"];

/** One of each kind, with a place for a value that may be anything. */
const MESSAGES: Readonly<Record<Kind, string>> = {
  ready: '{"kind":"ready","more":@}',
  unready: '{"kind":"unready","message":"m","stack":@}',
  call: '{"kind":"call","id":1,"providerKey":"scripted","request":{"model":"none","messages":[{"role":"assistant","content":"","toolCalls":[{"id":"a","name":"b","input":@}]}]}}',
  drop_call: '{"kind":"drop_call","id":1,"more":@}',
  step: '{"kind":"step","step":{"kind":"note","text":"t","data":@}}',
  usage: '{"kind":"usage","usage":{},"more":@}',
  answered: '{"kind":"answered","result":@}',
  failed: '{"kind":"failed","cause":"limit","message":"m","stack":@}',
  verdict: '{"kind":"verdict","correct":true,"score":null,"reason":@}',
  check_failed: '{"kind":"check_failed","message":"m","stack":@}',
  compiled: '{"kind":"compiled","code":@}',
  evaluates: '{"kind":"evaluates","more":@}',
  definition:
    '{"kind":"definition","options":@,"functions":[],"others":[],"asks":null,"hasProblems":false,"problemCount":null,"problems":null}',
  problems:
    '{"kind":"problems","items":[{"kind":"parts","problem":@,"expected":null,"tags":[]}],"isLast":true,"threw":null}',
};

const holding = (kind: Kind, value: string): string => MESSAGES[kind].replace("@", () => value);
const KINDS = FromChild.options.map(({ shape }) => shape.kind.value);

const LIMITS = { timeoutSeconds: 60, resultKb: 256 } as const;
const HONEST = "nothing";

/** Some runs whose agents write such messages, between two honest ones. */
async function runHostile(messages: readonly (readonly string[])[]): Promise<readonly LogEntry[]> {
  const problems = [...messages, HONEST].map((problem, index) => ({ id: `run-${index}`, problem }));
  const { logs } = await runFile("hostile-frames", {
    problems: [{ id: "first", problem: HONEST }, ...problems],
    limits: LIMITS,
    concurrency: 4,
  });
  expect(logs).toHaveLength(messages.length + 2);
  for (const entry of [logs[0], logs.at(-1)]) expect(entry).toMatchObject({ result: "fine", correct: true });
  return logs.slice(1, -1);
}

test("a deep value in any kind of message ends its own run, and no other", async () => {
  expect(Object.keys(MESSAGES).toSorted()).toEqual(KINDS.toSorted());
  const deep = ["<200 levels of [ and ]>", "<1500 levels of [ and ]>", '<20000 levels of {"a": and }>'];
  const cases = KINDS.flatMap((kind) => deep.map((value) => [holding(kind, value)]));
  const logs = await runHostile(cases);
  for (const [index, { failure }] of logs.entries())
    expect(failure, String(cases[index])).toMatchObject({
      cause: "limit",
      message: `the agent sent a message that is nested deeper than ${MAX_TEXT_LEVELS} levels`,
    });
});

test("a wide value in any kind of message leaves one entry per run", async () => {
  const wide = ["[<1000000 times 1,>1]", '[<300000 times {"a":""},>1]', '"<4000000 times x>"'];
  const cases = KINDS.flatMap((kind) => wide.map((value) => [holding(kind, value)]));
  for (const { failure, result } of await runHostile(cases)) expect(failure ?? result).not.toBeNull();
});

const oddValue = fc.oneof(
  fc.json(),
  fc.constantFrom(
    "1e999",
    "-1e999",
    "1e-999",
    "9007199254740993",
    "-0",
    '"\\ud800"',
    '{"a":1,"a":2}',
    "{",
    "",
  ),
  fc.constantFrom(
    '{"__proto__":{"correct":true}}',
    '{"\\u005f_proto__":[]}',
    '{"constructor":{"prototype":1}}',
  ),
  fc.integer({ min: 1, max: 3_000 }).map((levels) => `<${levels} levels of [ and ]>`),
  fc.integer({ min: 1, max: 3_000 }).map((levels) => `<${levels} levels of {"a": and }>`),
  fc.integer({ min: 1, max: 50_000 }).map((times) => `[<${times} times [],>1]`),
  fc.integer({ min: 1, max: 50_000 }).map((times) => `"<${times} times y>"`),
);
const oddMessage = fc.oneof(
  fc.tuple(fc.constantFrom(...KINDS), oddValue).map(([kind, value]) => holding(kind, value)),
  oddValue,
);

test("whatever messages agents write, every run has one entry and honest ones their verdict", async () => {
  const messages = fc.array(fc.array(oddMessage, { maxLength: 4 }), { minLength: 12, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(messages, async (given) => void (await runHostile(given))),
    { numRuns: 3 },
  );
});

test("whatever bytes come, they are a message or not one", () => {
  const json = oddMessage.map((text) => Buffer.from(text));
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
  fc.assert(
    fc.property(fc.oneof(json, bytes), (given) => {
      expect(["message", "violation"]).toContain(readMessage(given).kind);
    }),
  );
});

test.each([...KINDS.map((kind) => [kind, MAX_TEXT_LEVELS - 10] as const), ["answered", 100_000] as const])(
  "%s with %i levels is read without running out of stack",
  (kind, levels) => {
    for (const value of [nestedJson(levels), nestedFields(levels)])
      expect(() => readMessage(Buffer.from(holding(kind, value)))).not.toThrow();
  },
);

test("a key that would be a prototype is no part of a message", () => {
  const read = readMessage(Buffer.from(holding("answered", '[{"__proto__":{"correct":true},"a":1}]')));
  expect(read).toEqual({ kind: "message", message: { kind: "answered", result: [{ a: 1 }] } });
});
