import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DriftAlarm } from "../../../src/domain/stats/drift.ts";
import { runCli } from "../../fixtures/cli/start-cli.ts";
import { makeProject, removeProject } from "../../fixtures/files/a-project.ts";

/** 30 problems, of which the first RIGHT are answered right. */
const evaluation = (name: string, drift: string) => `
import { defineEvaluation } from "agent-evaluator";
export default defineEvaluation({
  name: "${name}",
  models: [["scripted", "steady"]],
  problems: Array.from({ length: 30 }, (_, at) => ({ id: \`p\${at}\`, problem: at, expected: "yes" })),
  isolation: "none",
  buildAgent: (_provider, _model, _tools, problem) => async () =>
    Number(problem) < Number(process.env.RIGHT) ? "yes" : "no",
  resultChecker: (result, expected) => result === expected,
  drift: ${drift},
});
`;

let server: Server;
let url: string;
let cwd: string;
let status = 204;
const posted: string[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    posted.push(await text(request));
    response.writeHead(status).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/secret-path`;
  cwd = makeProject({
    "last.eval.ts": evaluation("last", `{ last: 1, webhook: "ALARM_URL" }`),
    "pinned.eval.ts": evaluation("pinned", `{ baseline: process.env.PINNED, webhook: "ALARM_URL" }`),
    "both.eval.ts": evaluation("both", `{ baseline: "a-1", last: 2 }`),
  });
});
beforeEach(() => {
  posted.length = 0;
  status = 204;
});
afterAll(async () => {
  server.close();
  removeProject(cwd);
});

async function evaluate(file: string, right: number, env: Record<string, string> = { ALARM_URL: url }) {
  const ended = await runCli(["run", `${file}.eval.ts`, "--json"], {
    cwd,
    env: { RIGHT: String(right), ...env },
  });
  return { ...ended, id: String(JSON.parse(ended.stdout).evaluation.id) };
}

test("an evaluation that got worse than the last one tells the webhook, and only then", async () => {
  const good = await evaluate("last", 30);
  const same = await evaluate("last", 29);
  expect([good.stderr, same.stderr, posted]).toEqual(["", "", []]);
  const worse = await evaluate("last", 15);
  expect(worse.code).toBe(0);
  const alarm = DriftAlarm.parse(JSON.parse(posted[0] ?? ""));
  expect(alarm).toMatchObject({ evaluation: worse.id, name: "last", against: [same.id] });
  expect(alarm.findings).toMatchObject([{ model: "scripted/steady", measure: "accuracy", problems: 30 }]);
  expect(alarm.text).toContain("scripted/steady: accuracy fell by 46.7 points (p <0.001, 30 problems)");
  expect(worse.stderr).toContain(alarm.text);
  expect((await evaluate("last", 15)).stderr).toBe("");
  expect(posted).toHaveLength(1);
});

test("a pinned baseline stays the measure, and one that is not there is a warning", async () => {
  const first = await evaluate("pinned", 30, { PINNED: "pinned-unknown" });
  expect(first.code).toBe(0);
  expect(first.stderr).toMatch(/drift was not checked: drift\.baseline of pinned names .* pinned-unknown/);
  const env = { PINNED: first.id, ALARM_URL: url };
  await evaluate("pinned", 15, env);
  await evaluate("pinned", 15, env);
  expect(posted.map((body) => JSON.parse(body).against)).toEqual([[first.id], [first.id]]);
});

test.each([
  ["a webhook that refuses", () => url, 500, /the URL in ALARM_URL answered 500/],
  ["a webhook that is gone", () => "http://127.0.0.1:9/hooks/secret-path", 204, /did not answer/],
  ["an address that is not one", () => "secret-path", 204, /ALARM_URL is not an http\(s\) URL/],
  ["a variable that is not set", () => "", 204, /ALARM_URL is not set/],
])("%s is a warning, and the address stays secret", async (_, address, answer, warning) => {
  status = answer;
  await evaluate("last", 30);
  const { code, stderr, stdout } = await evaluate("last", 10, { ALARM_URL: address() });
  expect(code).toBe(0);
  expect(stderr).toMatch(warning);
  expect(stderr + stdout).not.toContain("secret-path");
});

test("a baseline and the last ones do not go together", async () => {
  const { code, stderr } = await runCli(["run", "both.eval.ts"], { cwd, env: { RIGHT: "30" } });
  expect(code).toBe(1);
  expect(stderr).toContain("expected `baseline` or `last`, not both");
});
