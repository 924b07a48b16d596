import { globSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LogEntry, RunBody } from "../../../src/domain/run/log-entry.ts";
import { runCli } from "../../fixtures/cli/start-cli.ts";
import { makeProject, removeProject } from "../../fixtures/files/a-project.ts";
import { ModelServer } from "../../fixtures/models/model-server.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

/** No shape of a key that anybody knows, and signs that JSON writes in another way. */
const KEY = 'violet-otter_4711"kettle\\lamp';
const TOKEN = "amber-badger-0815-lantern";
/** Parts of both halves of the two, in whichever form they come. */
const FORBIDDEN = ["violet-otter", "kettle", "amber-badger", "lantern"];

let server: ModelServer;
let cwd: string;
let printed: Readonly<Record<string, string>>;
let logs: readonly LogEntry[];

beforeAll(async () => {
  server = await ModelServer.start();
  server.disturb = ({ headers, body }) => {
    if (JSON.stringify(body).includes("refuse me"))
      return { kind: "raw", status: 400, body: { error: { message: `bad key: ${headers.authorization}` } } };
    return undefined;
  };
  server.mock.on({}, { content: `Your key is ${KEY}, and your token is ${TOKEN}.` });
  cwd = makeProject();
  for (const folder of ["tmp", "snapshots"]) mkdirSync(join(cwd, folder));
  printed = await runAndShow();
  logs = (JSON.parse(printed.json ?? "") as { logs: LogEntry[] }).logs;
});
afterAll(async () => {
  removeProject(cwd);
  await server.stop();
});

/** Runs the evaluation, and prints it in every way there is. */
async function runAndShow(): Promise<Record<string, string>> {
  const env = {
    ...{ OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: KEY, SERVICE_TOKEN: TOKEN },
    ...{ TMPDIR: join(cwd, "tmp"), SNAPSHOTS: join(cwd, "snapshots") },
  };
  const say = async (...args: string[]) => {
    const { stdout, stderr } = await runCli([...args, "--store", "kept"], { cwd, env });
    return stdout + stderr;
  };
  const run = await say("run", evalFile("secrets"));
  const json = await say("show", "--json");
  const texts: Record<string, string> = { run, json };
  for (const flags of [[], ["--logs"], ["--failed"], ["--failed", "--json"]])
    texts[`show ${flags.join(" ")}`] = await say("show", ...flags);
  texts.list = await say("list", "--json");
  for (const { runId, problemId } of (JSON.parse(json) as { logs: LogEntry[] }).logs) {
    const shown = [say("show", "--run", runId), say("show", "--run", runId, "--json")];
    [texts[problemId] = "", texts[`${problemId} in JSON`] = ""] = await Promise.all(shown);
  }
  return texts;
}

const secretsIn = (text: string): string[] => FORBIDDEN.filter((secret) => text.includes(secret));
const bodyOf = (id: string) => (JSON.parse(printed[`${id} in JSON`] ?? "") as { body: RunBody }).body;
const entryOf = (id: string): LogEntry | undefined => logs.find(({ problemId }) => problemId === id);

describe("a secret that the evaluator knows", () => {
  test("went to the provider, and each run did what it was to do", () => {
    expect(new Set(server.sent.map(({ headers }) => headers.authorization))).toEqual(
      new Set([`Bearer ${KEY}`]),
    );
    expect(logs.map(({ problemId, failure, correct }) => [problemId, failure?.cause ?? correct])).toEqual([
      ["hears", true],
      ["finds", true],
      ["loses", "agent_error"],
      ["tells", true],
      ["throws", "agent_error"],
      ["refused", "provider_error"],
      ["judged", true],
      ["misjudged", "checker_error"],
    ]);
  });

  test("is in nothing that is printed", () => {
    expect(Object.entries(printed).filter(([, text]) => secretsIn(text).length > 0)).toEqual([]);
    expect(Object.keys(printed).length).toBeGreaterThan(15);
  });

  test("is in no file, neither of the store nor of the bundle", () => {
    const files = globSync("**/*", { cwd, exclude: ["snapshots"] })
      .map((path) => join(cwd, path))
      .filter((path) => statSync(path).isFile());
    expect(files.filter((file) => secretsIn(readFileSync(file, "utf8")).length > 0)).toEqual([]);
    expect(files.map((file) => /sqlite$|bodies|bundle/.exec(file)?.[0])).toEqual(
      expect.arrayContaining(["sqlite", "bodies"]),
    );
  });

  test("leaves its name wherever it stood", () => {
    const key = "[redacted OPENAI_API_KEY]";
    const both = `${key} and [redacted SERVICE_TOKEN]`;
    expect(entryOf("hears")).toMatchObject({ problem: { text: `The key is ${key}` } });
    expect(entryOf("tells")).toMatchObject({
      ...{ result: { secret: both, [both]: [both] }, expected: key, tags: [`tag ${key}`] },
      ...{
        stdout: {
          head: expect.stringMatching(/^\[redacted OPENAI_API_KEY\] and \[redacted SERVICE_TOKEN\]\nx/),
        },
      },
    });
    expect(entryOf("throws")?.failure?.message).toContain(`no way in with ${both}`);
    expect(entryOf("refused")?.failure?.message).toContain("bad key: Bearer [redacted");
    expect(entryOf("judged")?.reason).toBe(`it is ${key}`);
    expect(entryOf("misjudged")?.failure?.message).toContain(`cannot judge ${key}`);
    const { transcript, stderr } = bodyOf("tells");
    expect(JSON.stringify(transcript).split(both).length - 1).toBeGreaterThanOrEqual(5);
    expect(`${stderr.head}${stderr.tail}`.endsWith(`x${both}\n${both}`)).toBe(true);
  });

  test("is not in the memory of the agent's process, unless it was given to it", () => {
    const heap = readFileSync(join(cwd, "snapshots/hears.heapsnapshot"), "utf8");
    expect(secretsIn(heap).filter((secret) => !TOKEN.includes(secret))).toEqual([]);
    // What the process does hold is found.
    for (const known of [
      "The key is [redacted OPENAI_API_KEY]",
      "Your key is [redacted OPENAI_API_KEY]",
      TOKEN,
    ])
      expect(heap).toContain(known);
  });
});

describe("what looks like a key", () => {
  const KEYS = ["dXNlcjpwdw==", `sk-proj-${"aB3".repeat(14)}`];
  const keysIn = (value: unknown) => KEYS.filter((key) => JSON.stringify(value).includes(key));

  test("stays in a problem and a result, which a later check must see unchanged", () => {
    const { problem, result } = entryOf("finds") ?? {};
    expect(keysIn(problem)).toEqual(KEYS);
    expect(problem).toEqual({ kind: "finds", text: result });
  });

  test("is in no transcript, no output and no error", () => {
    const { transcript, stdout } = bodyOf("finds");
    expect(transcript.length).toBeGreaterThanOrEqual(4);
    for (const kept of [transcript, stdout, entryOf("finds")?.stdout, entryOf("loses")?.failure]) {
      expect(keysIn(kept)).toEqual([]);
      expect(JSON.stringify(kept)).toContain("Authorization: Basic [redacted]");
    }
    const { problem: _problem, ...lost } = entryOf("loses") ?? {};
    expect(keysIn([lost, bodyOf("loses")])).toEqual([]);
  });
});
