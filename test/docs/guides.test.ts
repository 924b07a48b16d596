import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMON_FLAGS } from "../../src/cli/arguments.ts";
import { COMMANDS } from "../../src/cli/run-cli.ts";
import type { LogEntry } from "../../src/index.ts";
import { runCli } from "../fixtures/cli/start-cli.ts";
import { GUIDE_BLOCKS, PAGES } from "../fixtures/docs/pages.ts";
import { aReadersProject, makeReadersProject, programs, REPO } from "../fixtures/docs/readme.ts";
import { removeProject } from "../fixtures/files/a-project.ts";
import { ModelServer } from "../fixtures/models/model-server.ts";

const FILES = GUIDE_BLOCKS.flatMap(({ file, text }) => (file === null ? [] : [[file, text] as const]));
const project = { ...programs(), ...Object.fromEntries(FILES) };

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
  const call = (name: string, input: unknown) => ({
    toolCalls: [{ name, arguments: JSON.stringify(input) }],
  });
  const { mock } = server;
  mock.on({ userMessage: "<rubric>" }, call("verdict", { reason: "It is.", correct: true, score: 1 }));
  mock.on({ userMessage: "capital of France" }, call("finish", { value: "Paris" }));
  mock.on({ userMessage: "capital of Peru" }, call("finish", { value: "Lima" }));
  mock.on({ userMessage: "capital of Spain" }, { content: "Madrid" });
  mock.on({ userMessage: "echo hello" }, call("finish", { value: "hello" }));
  mock.on({ userMessage: "echo world" }, call("finish", { value: "world" }));
});
afterAll(() => server.stop());

test("every guide has a program or commands, and no two have a file of one name", () => {
  const guides = [...PAGES.keys()].filter((page) => page.startsWith("docs/guides/"));
  expect(guides.length).toBeGreaterThan(12);
  expect(guides.filter((guide) => !GUIDE_BLOCKS.some(({ page }) => page === guide))).toEqual([]);
  const names = FILES.map(([name]) => name);
  expect(names).toEqual([...new Set(names)]);
});

test("every block of TypeScript in a guide is a file", () => {
  const nameless = GUIDE_BLOCKS.filter(({ language, file }) => language === "ts" && file === null);
  expect(nameless).toEqual([]);
});

test("the TypeScript of the guides passes the compiler", () => {
  const tsconfig = JSON.stringify({ extends: join(REPO, "tsconfig.json"), include: ["**/*.ts", "**/*.mts"] });
  const cwd = aReadersProject({ ...project, "tsconfig.json": tsconfig });
  const compiler = join(REPO, "node_modules/typescript/bin/tsc");
  expect(execFileSync(process.execPath, [compiler, "--noEmit", "-p", cwd], { encoding: "utf8" })).toBe("");
});

const keys = () => ({
  OPENAI_API_KEY: "a key",
  OPENAI_BASE_URL: `${server.url}/v1`,
  ANTHROPIC_API_KEY: "a key",
  ANTHROPIC_BASE_URL: server.url,
  SEARCH_API_KEY: "another key",
});

test("the evaluations of the guides run as they stand, and every run is right", async () => {
  const cwd = aReadersProject(project);
  const { stdout, stderr } = await runCli(["run", "evals", "--json"], { cwd, env: keys() });
  const { evaluations } = JSON.parse(stdout || "{}");
  const logs: LogEntry[] = evaluations?.flatMap(({ logs }: { logs: LogEntry[] }) => logs) ?? [];
  const odd = logs.filter(({ correct }) => correct !== true);
  expect(odd.map(({ problem, result, reason, failure }) => ({ problem, result, reason, failure }))).toEqual(
    [],
  );
  expect(evaluations, stderr).toHaveLength(
    Object.keys(project).filter((file) => /^evals\/.*\.eval\.ts$/.test(file)).length,
  );
});

/** The words of each command of ours that a page shows. */
const SHOWN = GUIDE_BLOCKS.flatMap(({ page, text }) =>
  [...text.matchAll(/^ *(?:\$ )?npx agent-evaluator (.*)$/gm)].map(
    ([, words = ""]) =>
      [
        page,
        words
          .replaceAll(/\$gate|#.*/g, "")
          .trim()
          .split(/\s+/),
      ] as const,
  ),
);

test("the commands of the guides are there, and have the flags that they are given", async () => {
  expect(SHOWN.length).toBeGreaterThan(30);
  for (const [page, [name = "", ...words]] of SHOWN) {
    const command = Object.entries(COMMANDS).find(([known]) => known === name)?.[1];
    expect(command, `${page}: ${name}`).toBeDefined();
    const known = Object.keys({ ...(await command?.load())?.flags, ...COMMON_FLAGS });
    for (const word of words.filter((word) => word.startsWith("--")))
      expect(known, `${page}: ${name} ${word}`).toContain(word.slice(2));
  }
});

test("a flag that is named in the text of a guide exists", async () => {
  const commands = await Promise.all(Object.values(COMMANDS).map(({ load }) => load()));
  const known = [...commands.flatMap(({ flags }) => Object.keys(flags)), ...Object.keys(COMMON_FLAGS)];
  for (const [page, text] of PAGES) {
    if (!page.startsWith("docs/guides/") || page.endsWith("/moving.md")) continue;
    const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "");
    for (const [, flag = ""] of prose.matchAll(/`[^`]*--([a-z][a-z-]*)[^`]*`/g))
      expect(known, page).toContain(flag);
  }
});

/** Commands that need a server, a person or a repository; tests of their own run them. */
const isElsewhere = (command: string): boolean =>
  /^view|--remote|--watch|--against|--confirm-above/.test(command);

const runnable = SHOWN.map(([page, words]) => ({ page, command: words.join(" ") })).filter(
  ({ command }, at, all) =>
    !isElsewhere(command) && all.findIndex((other) => other.command === command) === at,
);

describe("the commands of a guide do what they say", () => {
  let places: Readonly<Record<string, string>> = {};
  let cwd = "";
  const run = (words: readonly string[]) => runCli(words, { cwd, env: keys() });
  const readJson = async (words: readonly string[]) => JSON.parse((await run([...words, "--json"])).stdout);

  beforeAll(async () => {
    cwd = makeReadersProject(project);
    await run(["run", "evals/echo.eval.ts", "--jsonl", "main/runs.jsonl"]);
    const before = await readJson(["run", "evals/capitals.eval.ts"]);
    const after = await readJson(["run", "evals/capitals.eval.ts"]);
    const { id } = after.evaluation;
    places = { "ID-OF-BEFORE": before.evaluation.id, "ID-OF-AFTER": id, ID: id };
  });

  afterAll(() => removeProject(cwd));

  test.each([...new Set(runnable.map(({ page }) => page))])("%s", async (page) => {
    for (const { command } of runnable.filter((each) => each.page === page)) {
      // A run of the newest evaluation, which is the one that is shown.
      const RUNID = command.includes("RUNID") ? (await readJson(["show"])).logs[0].runId : "";
      const words = command.split(" ").map((word) => ({ ...places, RUNID })[word] ?? word);
      const { code, stderr } = await run(words);
      expect(code, `${command}: ${stderr}`).toBe(0);
    }
  });

  test("and that is most of them", () => {
    expect(runnable.length).toBeGreaterThan(20);
  });
});
