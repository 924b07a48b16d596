import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMANDS, COMMON_FLAGS } from "../src/cli/command-table.ts";
import { EXIT, SIGNAL_EXITS } from "../src/cli/exit-code.ts";
import { FAULTS } from "../src/domain/failure.ts";
import { Limits } from "../src/domain/limits.ts";
import { emptyTally, toModelStats } from "../src/domain/stats.ts";
import * as api from "../src/index.ts";
import { KNOWN_PROVIDERS } from "../src/providers/factory.ts";
import { ModelServer } from "./fixtures/model-server.ts";
import { aReadersProject, blocksOf, COMMANDS_PAGE, programs, README, REPO } from "./fixtures/readme.ts";
import { runNode } from "./fixtures/run-script.ts";
import { runCli } from "./fixtures/start-cli.ts";
import { terminalPicture } from "./fixtures/terminal-picture.ts";

const SCRIPTS: Record<string, string> = JSON.parse(readFileSync(join(REPO, "package.json"), "utf8")).scripts;
const words = (pattern: RegExp, text = README): string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, word = ""]) => word))].sort();

test("the README is short", () => {
  expect(README.split("\n").length).toBeLessThan(200);
});

let server: ModelServer;
let keys: Record<string, string>;
beforeAll(async () => {
  server = await ModelServer.start();
  for (const word of ["hello", "world"]) {
    const toolCalls = [{ name: "finish", arguments: JSON.stringify({ value: word }) }];
    server.mock.on({ userMessage: `echo ${word}` }, { toolCalls });
  }
  keys = {
    OPENAI_API_KEY: "a key",
    OPENAI_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_API_KEY: "a key",
    ANTHROPIC_BASE_URL: server.url,
  };
});
afterAll(() => server.stop());

test("the TypeScript of the README passes the compiler", () => {
  const tsconfig = JSON.stringify({ extends: join(REPO, "tsconfig.json"), include: ["**/*.ts", "**/*.mts"] });
  const cwd = aReadersProject({ ...programs(), "tsconfig.json": tsconfig });
  const compiler = join(REPO, "node_modules/typescript/bin/tsc");
  expect(execFileSync(process.execPath, [compiler, "--noEmit", "-p", cwd], { encoding: "utf8" })).toBe("");
});

test("the evaluation file of the README runs as it stands", async () => {
  const cwd = aReadersProject(programs());
  const { code, stdout, stderr } = await runCli(["run", "evals/echo.eval.ts", "--json"], { cwd, env: keys });
  expect([code, stderr]).toEqual([0, ""]);
  const { stats, logs } = JSON.parse(stdout);
  expect(Object.keys(stats)).toEqual(["openai/gpt-5-mini", "anthropic/claude-haiku-4-5"]);
  expect(logs.map(({ correct }: api.LogEntry) => correct)).toEqual([true, true, true, true]);
});

test.each(["module", "commonjs"] as const)("the script of the README runs in a %s project", async (type) => {
  const folder = aReadersProject(programs(), type);
  const { code, stdout, stderr } = await runNode(["echo.mts"], { folder, env: keys });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/'openai\/gpt-5-mini': \{\s+finished: 1,\s+correct: 1,/);
  expect(stdout).toMatch(/providerKey: 'openai',[\s\S]*result: \{ value: 'hello' \}/);
});

/** Times, ids and the room that they take. */
const mask = (text: string): string =>
  text
    .replaceAll(/\b\d+(\.\d+)? ?m?s\b/g, "TIME")
    .replaceAll(/quickstart-\w+/g, "quickstart-ID")
    .replaceAll(/\s+/g, " ")
    .trim();

test("the demo prints what the README shows", async () => {
  expect(SCRIPTS.start).toBe("node src/cli/main.ts run evals/quickstart.eval.ts");
  const quickstart = readFileSync(join(REPO, "evals/quickstart.eval.ts"), "utf8");
  const cwd = aReadersProject({ "evals/quickstart.eval.ts": quickstart });
  const { stdout } = await runCli(["run", "evals/quickstart.eval.ts"], {
    cwd,
    env: { npm_lifecycle_event: "start" },
    nodeFlags: ["--import", join(REPO, "test/fixtures/as-a-terminal.ts")],
  });
  const [shown = ""] = blocksOf("console");
  expect(mask(`$ npm ci && npm start\n${terminalPicture(stdout).join("\n")}`)).toBe(mask(shown));
});

test("every npm script that is named exists", () => {
  const named = words(/`npm run (\w+)/g);
  expect(named).toEqual(["bench", "cli"]);
  for (const name of [...named, "test", "start"]) expect(SCRIPTS).toHaveProperty(name);
});

test("every flag is on its command's page with the words of the help, and no other is anywhere", () => {
  const page = COMMANDS_PAGE.replaceAll(/ +/g, " ");
  const sectionOf = (name: string) => page.split("\n## ").find((text) => text.startsWith(`${name}\n`)) ?? "";
  const commands = Object.entries(COMMANDS);
  for (const [name, { flags, usage }] of commands) {
    expect(sectionOf(name)).toContain(`\`${usage}\``);
    const told = [...sectionOf(name).matchAll(/^\| `--(\S+?)[ `]/gm)].map(([, flag]) => flag);
    expect(told).toEqual(Object.keys(flags));
    for (const [flag, { value, help }] of Object.entries(flags)) {
      expect(sectionOf(name)).toContain(
        `| \`--${flag}${value === undefined ? "" : ` ${value}`}\` | ${help} |`,
      );
    }
  }
  const known = commands.flatMap(([, { flags }]) => Object.keys(flags));
  expect([...known, ...Object.keys(COMMON_FLAGS), "version"]).toEqual(
    // Another command has flags of its own.
    expect.arrayContaining(words(/--([a-z][a-z-]*)/g, README.replaceAll(/^npx sst .*$/gm, ""))),
  );
});

test("the exit codes are those of the code", () => {
  const rows = words(/^\| ([\d, ]+?) +\|/gm, COMMANDS_PAGE).flatMap((codes) => codes.split(", "));
  const codes = [...Object.values(EXIT), ...Object.values(SIGNAL_EXITS)];
  expect(rows.map(Number).sort()).toEqual(codes.sort());
});

test("the causes, faults, accuracies and limits are those of the code", () => {
  const [, model = "", infrastructure = "", stopped = ""] =
    /The model's fault: (.*)\n- Infrastructure: (.*)\n- Stopped.*`--resume`: (.*)\n/.exec(README) ?? [];
  const causesOf = (fault: string) =>
    Object.keys(FAULTS).filter((cause) => Reflect.get(FAULTS, cause) === fault);
  for (const [fault, told] of Object.entries({ model, infrastructure, stopped }))
    expect(words(/`(\w+)`/g, told)).toEqual(causesOf(fault).sort());
  const fields = Object.keys(toModelStats(emptyTally(), 0)).filter((field) => field.startsWith("accuracy"));
  expect(words(/^- `(accuracy\w*)` =/gm)).toEqual(fields.sort());
  const { timeoutSeconds, memoryMb, outputKb, resultKb } = Limits.parse({});
  const told = `${timeoutSeconds} s of working time, ${memoryMb} MB of memory with all it started, ${outputKb} KB of output, a result of ${resultKb} KB`;
  expect(README.replaceAll(/\s+/g, " ")).toContain(told);
});

test("the room map names every folder of src", () => {
  const folders = readdirSync(join(REPO, "src"), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(words(/^\| `src\/(\w+)`/gm)).toEqual(folders.map(({ name }) => name).sort());
});

test("providers, checkers, tools and linked files that are named exist", () => {
  const providers = words(
    /`([\w:<>-]+)`/g,
    README.slice(README.indexOf("Built-in providers:")).split("\n\n")[0],
  );
  expect(KNOWN_PROVIDERS).toEqual(expect.arrayContaining(providers));
  for (const name of ["exact", "includes", "numeric", "judge", "defineTool", "nodeTool", "mcpTools"]) {
    expect(README).toContain(name);
    expect(api).toHaveProperty(name);
  }
  for (const file of words(/\]\((\S+?)\)/g)) expect(existsSync(join(REPO, file))).toBe(true);
});
