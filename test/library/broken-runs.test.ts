import { beforeAll, expect, test } from "vitest";
import type { LogEntry, ModelStats, RunBody } from "../../src/index.ts";
import { type EndedProgram, readOutput, runScript } from "../fixtures/run/run-script.ts";

interface Casualties {
  readonly stats: Readonly<Record<string, ModelStats>>;
  readonly logs: readonly LogEntry[];
  readonly body: RunBody;
}

let program: EndedProgram;
let casualties: Casualties;
beforeAll(async () => {
  program = await runScript("break-runs.ts");
  casualties = await readOutput<Casualties>(Promise.resolve(program));
});

const entriesOf = (providerKey: string) =>
  casualties.logs.filter((entry) => entry.providerKey === providerKey);
const entryOf = (problem: string) => entriesOf("good").find((entry) => entry.problem === problem);

test.each([
  ["throws", "agent_error", /RangeError: the agent fell over \(at .*break-runs\.ts:\d+:\d+\)/],
  ["is killed", "crashed", /SIGKILL/],
  ["exits", "no_answer", /ended its process before it answered/],
  ["cannot be stored", "agent_error", /a BigInt at result\.big/],
  ["checker throws", "checker_error", /the checker fell over/],
  ["checker exits", "checker_error", /./],
] as const)("%s: that run fails as %s", (problem, cause, message) => {
  expect(entryOf(problem)?.failure).toMatchObject({ cause, message: expect.stringMatching(message) });
  expect(entryOf(problem)?.correct).toBeNull();
});

test("no other run loses its entry, whatever broke beside it", () => {
  expect(casualties.logs).toHaveLength(28);
  const others = entriesOf("good").filter(({ problem }) => String(problem).startsWith("fine"));
  expect(others.map(({ result, correct }) => [result, correct])).toEqual(Array(7).fill(["fine", true]));
  expect(casualties.stats["good/m"]).toMatchObject({ finished: 14, correct: 8, failed: 6 });
});

test("a provider that cannot be made fails its own model's runs alone", () => {
  const messages = entriesOf("broken").map(({ failure }) => failure?.message);
  expect(messages).toEqual(Array(14).fill(expect.stringContaining("no key for this provider")));
  expect(casualties.stats["broken/m"]).toMatchObject({ finished: 14, correct: 0, failed: 14 });
});

test("a run is tried again only when its process died by a signal that was not ours", () => {
  const again = entriesOf("good").filter(({ attempts }) => attempts.length !== 1);
  expect(again.map(({ problem }) => problem)).toEqual(["is killed"]);
  expect(again[0]?.attempts.map(({ cause }) => cause)).toEqual(["crashed", "crashed"]);
});

test("an onUpdate that throws is told once", () => {
  expect(
    program.stderr.match(/onUpdate threw an error, and the evaluation continues: onUpdate fell over/g),
  ).toHaveLength(1);
});

test("the whole output of a run loads on demand; its entry has the head", () => {
  const entry = entryOf("prints");
  expect(entry?.stdout).toEqual({ head: "printed".repeat(500).slice(0, 1_000), bytes: 3_501 });
  expect(entry?.stderr).toEqual({ head: "complained\n", bytes: 11 });
  expect(casualties.body.stdout).toMatchObject({
    head: `${"printed".repeat(500)}\n`,
    bytes: 3_501,
    droppedBytes: 0,
  });
  expect(casualties.body.result).toBe("printed");
});
