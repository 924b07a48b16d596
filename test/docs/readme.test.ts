import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMON_FLAGS } from "../../src/cli/arguments.ts";
import { EXIT, SIGNAL_EXITS } from "../../src/cli/exit.ts";
import { COMMANDS } from "../../src/cli/run-cli.ts";
import { GATEWAY_VARIABLES } from "../../src/domain/gateway-access.ts";
import { Limits } from "../../src/domain/limits.ts";
import { emptyTally, toModelStats } from "../../src/domain/stats/stats.ts";
import * as api from "../../src/index.ts";
import { childEnvironment, MARKER } from "../../src/isolation/parent/permissions.ts";
import { KNOWN_PROVIDERS } from "../../src/providers/built-in.ts";
import { runCli } from "../fixtures/cli/start-cli.ts";
import { terminalPicture } from "../fixtures/cli/terminal-picture.ts";
import {
  aReadersProject,
  blocksOf,
  EXIT_CODES_PAGE,
  ISOLATION_PAGE,
  README,
  REPO,
} from "../fixtures/docs/readme.ts";

const RESULTS_GUIDE = readFileSync(join(REPO, "docs/guides/reading-results.md"), "utf8");
const SCRIPTS: Record<string, string> = JSON.parse(readFileSync(join(REPO, "package.json"), "utf8")).scripts;
const words = (pattern: RegExp, text = README): string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, word = ""]) => word))].sort();

test("the README is short", () => {
  const lines = README.split("\n");
  expect(lines.length).toBeLessThan(125);
  expect(lines.filter((line) => line.length > 130 && !line.startsWith("<img "))).toEqual([]);
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
    nodeFlags: ["--import", join(REPO, "test/fixtures/cli/pretend-terminal.ts")],
  });
  const [shown = ""] = blocksOf("console");
  const pieces = shown.split(/^…$/m).map(mask);
  expect(pieces).toHaveLength(4);
  const printed = mask(`$ npm ci && npm start\n${terminalPicture(stdout).join("\n")}`);
  let end = 0;
  for (const piece of pieces) {
    const start = printed.indexOf(piece, end);
    expect(start, `${piece}\nafter\n${printed.slice(0, end)}\nin\n${printed}`).toBeGreaterThanOrEqual(end);
    end = start + piece.length;
  }
});

test("every npm script that is named exists", () => {
  const named = words(/`npm run (\w+)/g);
  expect(named).toEqual(["cli", "docs"]);
  for (const name of [...named, "test", "start"]) expect(SCRIPTS).toHaveProperty(name);
});

test("every flag that is named exists", async () => {
  const commands = await Promise.all(Object.values(COMMANDS).map(({ load }) => load()));
  const known = commands.flatMap(({ flags }) => Object.keys(flags));
  expect([...known, ...Object.keys(COMMON_FLAGS), "version"]).toEqual(
    // Other commands have flags of their own.
    expect.arrayContaining(
      words(/--([a-z][a-z-]*)/g, README.replaceAll(/^npx sst .*$|\bgh [a-z].*$|\bnpx node [^`]*/gm, "")),
    ),
  );
});

test("the exit codes are those of the code", () => {
  const codes = [...Object.values(EXIT), ...Object.values(SIGNAL_EXITS)].map(String).sort();
  const rows = words(/^\| ([\d, ]+?) +\|/gm, EXIT_CODES_PAGE).flatMap((row) => row.split(", "));
  expect(rows.sort()).toEqual(codes);
});

test("the accuracies are those of the code", () => {
  const fields = Object.keys(toModelStats(emptyTally(), 0)).filter((field) => field.startsWith("accuracy"));
  expect(words(/`(accuracy\w*)` =/g, RESULTS_GUIDE)).toEqual(fields.sort());
});

test("the results guide explains the table that the README shows", () => {
  const [shown = ""] = /^model .*\n(?:\S.*\n)+?(?=…$)/m.exec(blocksOf("console")[0] ?? "") ?? [];
  expect(shown.split("\n")).toHaveLength(4);
  expect(blocksOf("text", RESULTS_GUIDE)).toContain(shown);
});

test("the limits, kinds and variables of a run are those of the code", () => {
  const { timeoutSeconds, memoryMb, outputKb, resultKb, maxWaitSeconds, diskMb } = Limits.parse({});
  const told = `${timeoutSeconds} s of working time, ${memoryMb} MB of memory with all it started, ${outputKb} KB of output, a result of ${resultKb} KB`;
  expect(ISOLATION_PAGE.replaceAll(/\s+/g, " ")).toContain(told);
  expect(ISOLATION_PAGE).toContain(`has a limit of ${maxWaitSeconds} s`);
  expect(ISOLATION_PAGE).toContain(`and ${diskMb} MB in the temp folder`);
  const [, allowed = "", own = ""] =
    /An allow-list: ([\s\S]*?)the\s+names that[\s\S]*?\. ([^.]*) are its own/.exec(ISOLATION_PAGE) ?? [];
  const asked: string[] = [];
  const from = new Proxy({}, { get: (_, name) => void asked.push(String(name)) });
  const made = childEnvironment(from, [], { marker: "", tempFolder: "", pass: null });
  expect(words(/`([A-Z_]+)`/g, allowed)).toEqual(asked.sort());
  expect([...words(/`(\w+)`/g, own), MARKER].sort()).toEqual(Object.keys(made).sort());
  const servers = Object.keys(GATEWAY_VARIABLES).filter((name) => name.endsWith("_BASE_URL"));
  expect(words(/`(\w+_BASE_URL)`/g, ISOLATION_PAGE)).toEqual(servers.sort());
});

test("providers, checkers, tools and linked files that are named exist", () => {
  const providers = words(/`([\w:<>-]+)`/g, README.slice(README.indexOf("**Providers**")).split("\n\n")[0]);
  expect(KNOWN_PROVIDERS).toEqual(expect.arrayContaining(providers));
  expect(providers).toHaveLength(7);
  const named = ["exact", "includes", "numeric", "judge", "defineTool", "nodeTool", "mcpTools"];
  for (const name of [...named, "csv", "jsonl", "huggingface"]) {
    expect(README).toContain(name);
    expect(api).toHaveProperty(name);
  }
  const files = [...words(/\]\((\S+?)\)/g), ...words(/<img src="(\S+)"/g)];
  expect(files.filter((file) => !existsSync(join(REPO, file)))).toEqual([]);
  expect(files.filter((file) => file.endsWith(".png"))).toHaveLength(2);
});
