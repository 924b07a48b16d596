import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { openAddress } from "../../../src/cli/dashboard/open.ts";
import { startCli } from "../../fixtures/cli/start-cli.ts";
import { aProject } from "../../fixtures/files/a-project.ts";
import { PATIENCE } from "../../fixtures/run/patience.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

const CAPITALS = readFileSync(evalFile("capitals"), "utf8");
const SCREEN = { DISPLAY: ":0", AGENT_EVALUATOR_TOKEN: "the-token-of-this-test" };

/** A folder whose programs write down the address that they are given, under both names that open links. */
function aDesktop(): { bin: string; opened: () => string } {
  const note = '#!/bin/sh\nprintf %s "$1" > "$(dirname "$0")/opened"\n';
  const bin = aProject({ "xdg-open": note, open: note });
  for (const name of ["xdg-open", "open"]) chmodSync(join(bin, name), 0o755);
  const file = join(bin, "opened");
  return { bin, opened: () => (existsSync(file) ? readFileSync(file, "utf8") : "") };
}

test("view opens the browser at the dashboard, which needs no token before it is there", async () => {
  const { bin, opened } = aDesktop();
  const cwd = aProject({ "evals/capitals.eval.ts": CAPITALS });
  const env = { ...SCREEN, PATH: `${bin}:${process.env.PATH}` };
  const cli = startCli(["view", "--port", "0"], { cwd, env });
  await cli.shows("Ctrl-C ends.");
  await vi.waitFor(() => expect(opened()).toMatch(/^file:.*\.html$/), PATIENCE);
  const door = fileURLToPath(opened());
  // What others may read of the command names no token, and what names it only this user may read.
  expect(statSync(door).mode & 0o777).toBe(0o600);
  const [, address = ""] = /url=([^"]+)"/.exec(readFileSync(door, "utf8")) ?? [];
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=the-token-of-this-test$/);
  const page = await fetch(address);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="app">')]);
  cli.kill("SIGINT");
  expect((await cli.exit).code).toBe(0);
  expect(existsSync(door)).toBe(false);
});

test("--no-open prints the link alone, to the evaluation that is named", async () => {
  const { bin, opened } = aDesktop();
  const cwd = aProject({ "evals/capitals.eval.ts": CAPITALS });
  const env = { ...SCREEN, PATH: `${bin}:${process.env.PATH}` };
  const { code } = await startCli(["run", "evals", "--quiet"], { cwd }).exit;
  expect(code).toBe(0);
  const cli = startCli(["view", "capitals", "--port", "0", "--no-open"], { cwd, env });
  await cli.shows("Ctrl-C ends.");
  expect(cli.printed()).toMatch(/Open http:\S+#token=the-token-of-this-test&\/evaluations\/capitals-\S+/);
  expect(opened()).toBe("");
});

test("an id that nobody has is told before anything is served", async () => {
  const { code, stderr } = await startCli(["view", "nobody", "--no-open"], { cwd: aProject() }).exit;
  expect([code, stderr]).toEqual([2, expect.stringContaining('No evaluation "nobody"')]);
});

test.each([
  ["a terminal without a screen", {}],
  ["a system without a browser", { DISPLAY: ":0" }],
])("%s is told the link, and nothing breaks", async (_, env) => {
  vi.stubEnv("PATH", aProject());
  expect(await openAddress("http://127.0.0.1:1/", "linux", env)).toBe(false);
  vi.unstubAllEnvs();
});

test("without --port the next free port is taken; one that is asked for and in use is refused", async () => {
  const servers = await Promise.all([4747, 4748].map(holdPort));
  const cwd = aProject({ "evals/capitals.eval.ts": CAPITALS });
  const cli = startCli(["view", "--no-open"], { cwd });
  await cli.shows("Ctrl-C ends.");
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(cli.printed())?.[1]);
  expect(port).toBeGreaterThan(4748);
  cli.kill("SIGINT");
  await cli.exit;
  const refused = await startCli(["view", "--no-open", "--port", "4747"], { cwd }).exit;
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("Port 4747 is in use")]);
  for (const server of servers) server?.close();
});

/** Null where somebody else holds the port. */
const holdPort = (port: number) =>
  new Promise<Server | null>((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
