import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import {
  MAX_CLOUD_MEMORY_MB,
  MAX_CLOUD_TIMEOUT_SECONDS,
  MAX_INVOCATION_SECONDS,
  runnerDiskMb,
  runnerMemoryMb,
} from "../../src/domain/cloud/limits.ts";
import { API_TOKEN_SECRET, METRICS, secretName } from "../../src/domain/cloud/settings.ts";
import { Limits } from "../../src/domain/limits.ts";
import { PROVIDER_TABLE } from "../../src/providers/table.ts";
import { PERMISSIONS } from "../../stacks/permissions.ts";
import { deployRegion } from "../../stacks/region.ts";
import { costOf } from "../bench/cloud-prices.ts";
import { aServer } from "../fixtures/cli/a-server.ts";
import { aReadersProject } from "../fixtures/docs/readme.ts";

const REPO = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(REPO, path), "utf8");
const DEPLOY = read("stacks/DEPLOY.md");
const FIRST = read("stacks/FIRST-DEPLOYMENT.md");
const CLOUD = read("docs/guides/cloud.md");
/** Where its lines break is nobody's promise. */
const proseOf = (page: string) => page.replaceAll(/\s+/g, " ");
const PROSE = proseOf(DEPLOY);

test("the secrets that are named are those of the providers", () => {
  const variables = Object.values(PROVIDER_TABLE).flatMap(({ named, variables: of }) =>
    named === "always" ? [] : of(null).apiKey,
  );
  for (const variable of variables) expect(DEPLOY).toContain(`\`${secretName(variable)}\``);
  expect(DEPLOY).toContain(`secret set ${API_TOKEN_SECRET} `);
  expect(PROSE).toContain(`\`SEARCH_TOKEN\` is \`${secretName("SEARCH_TOKEN")}\``);
});

test("the Node to deploy with is the one that the package needs", () => {
  const { engines } = JSON.parse(read("package.json"));
  expect(PROSE).toContain(`Node ${engines.node.replace(">=", "")} or newer`);
});

test("no line of the guides' prose is longer than a screen", () => {
  for (const page of [DEPLOY, FIRST]) {
    const prose = page.replaceAll(/^```[\s\S]*?^```$/gm, "").split("\n");
    expect(prose.filter((line) => line.length > 120)).toEqual([]);
  }
});

test("the region is named where people deploy, and so is what nobody has confirmed", () => {
  for (const page of [CLOUD, DEPLOY, FIRST]) {
    expect(page).toContain(`\`${deployRegion(undefined)}\``);
    expect(page).toContain("`AWS_REGION`");
    expect(proseOf(page)).toMatch(/no stage (?:of this project )?has run on real AWS yet/i);
    expect(page).not.toMatch(/one isolated Lambda/);
  }
  for (const [place, page] of [
    ["../../stacks/FIRST-DEPLOYMENT.md", CLOUD],
    ["FIRST-DEPLOYMENT.md", DEPLOY],
  ])
    expect(page).toContain(`](${place})`);
});

test("schedules are said to be production's wherever they are offered", () => {
  for (const page of [CLOUD, DEPLOY]) {
    const offers = [...proseOf(page).matchAll(/`schedule(?:: [^`]*)?`[^.]*|[^.]*`schedule`/g)].map(
      ([text]) => text,
    );
    expect(offers.length).toBeGreaterThan(0);
    expect(offers.some((text) => text.includes("`production`"))).toBe(true);
  }
});

test("each check of a first deployment has a command or a request to look at it with", () => {
  const checks = FIRST.split(/^(?=\d+\. \*\*)/m).slice(1);
  expect(checks.map((check) => Number.parseInt(check, 10))).toEqual(checks.map((_, place) => place + 1));
  for (const check of checks)
    expect(check).toMatch(/`(?:aws |curl |POST |GET |await )|[Dd]elete one|Cost Explorer/);
  expect(FIRST).toContain(METRICS.running);
});

test("the alarms and the limits are those of the code", () => {
  const alarms = [...read("stacks/alarms.ts").matchAll(/^ {2}(\w+): \{$/gm)].map(([, name]) => `\`${name}\``);
  expect(alarms).toHaveLength(5);
  expect(PROSE).toContain(`Alarms, in production: ${alarms.join(", ")}.`);
  for (const page of [DEPLOY, CLOUD])
    expect(proseOf(page)).toContain(
      `may take ${MAX_CLOUD_TIMEOUT_SECONDS} s and use ${MAX_CLOUD_MEMORY_MB} MB of memory, and as much disk`,
    );
  expect(PROSE).toContain(`the longest time that Lambda gives (${MAX_INVOCATION_SECONDS} s)`);
  const [lessSeconds, lessMb] = [
    MAX_INVOCATION_SECONDS - MAX_CLOUD_TIMEOUT_SECONDS,
    10_240 - MAX_CLOUD_MEMORY_MB,
  ];
  expect(PROSE).toContain(`may take ${lessSeconds} s less than the runner and use ${lessMb} MB less`);
  expect(PROSE).toContain(
    `\`limits.memoryMb\` of your definitions (${runnerMemoryMb([Limits.parse({})])} MB by default)`,
  );
  expect(PROSE).toContain(
    `their largest \`limits.diskMb\` (${runnerDiskMb([Limits.parse({})])} MB by default)`,
  );
});

test("the dollars are the prices times what was counted", () => {
  const rows = [...DEPLOY.matchAll(/^\| ([a-z, ]+?) +\| ([\d,]*)(?: GB s)? +\| ([\d.]+) +\|$/gm)];
  const amount = (what: string) => Number(rows.find(([, name]) => name === what)?.[2]?.replaceAll(",", ""));
  const bill = costOf(
    {
      operations: amount("durable operations"),
      stateBytes: amount("durable state, bytes"),
      writeUnits: amount("table, write units"),
      readUnits: amount("table, read units"),
      puts: amount("bodies put"),
      gets: 0,
    },
    1,
  );
  const shown = Object.fromEntries(rows.map(([, what, , usd]) => [what, usd]));
  const total = bill.reduce((sum, [, , usd]) => sum + usd, 0);
  const paid = bill.filter(([, , usd]) => usd > 0).map(([what, , usd]) => [what, usd.toFixed(4)]);
  expect(shown).toEqual({ ...Object.fromEntries(paid), total: total.toFixed(4) });
  expect(shortBill()).toEqual(shortened(bill));
});

type Bill = ReturnType<typeof costOf>;

/** What the cloud guide sums up. */
const shortened = (bill: Bill): Record<string, string> => {
  const sumOf = (...names: string[]) =>
    bill.reduce((sum, [what, , usd]) => (names.length === 0 || names.includes(what) ? sum + usd : sum), 0);
  const sums = {
    runner: sumOf("runner compute", "disk of the runner"),
    "durable functions": sumOf("durable operations", "durable state, bytes"),
    "environments of tenants": sumOf("environments of tenants"),
    "table and bucket": sumOf("table, write units", "table, read units", "bodies put", "bodies got"),
    invocations: sumOf("invocations"),
    total: sumOf(),
  };
  return Object.fromEntries(Object.entries(sums).map(([what, usd]) => [what, usd.toFixed(4)]));
};

function shortBill(): Record<string, string> {
  const [, table = ""] = /\*\*Costs\*\*.*\n\n((?:\|.*\n)+)/.exec(CLOUD) ?? [];
  const [titles = [], , dollars = []] = table
    .split("\n")
    .map((row) => row.split("|").map((cell) => cell.trim()));
  return Object.fromEntries(titles.slice(1, -1).map((title, at) => [title, dollars[at + 1] ?? ""]));
}

test("the quotas of the cloud guide are those of the deploy guide", () => {
  const quotas = [/concurrent executions\W+of the account/i, /environments of tenants\W+2,500 per 1,000/i];
  for (const page of [CLOUD, DEPLOY]) for (const quota of quotas) expect(proseOf(page)).toMatch(quota);
});

test("the cloud guide's picture has every function, and each calls those that it may", () => {
  const [, picture = ""] = /^```text\n([\s\S]*?)^```$/m.exec(CLOUD) ?? [];
  const functions = readdirSync(join(REPO, "functions")).map((file) => file.replace(".ts", ""));
  for (const name of functions) expect(picture).toMatch(new RegExp(`─► ${name}\\b`));
  const invoked = (name: keyof typeof PERMISSIONS) =>
    PERMISSIONS[name].flatMap(({ actions, on }) =>
      (actions as readonly string[]).includes("lambda:InvokeFunction") ? [on] : [],
    );
  expect([invoked("Api"), invoked("Schedule")]).toEqual([["orchestrator"], ["orchestrator"]]);
  expect(invoked("Orchestrator")).toContain("shard");
  expect(invoked("Shard")).toEqual(["runner", "aggregator"]);
});

const linesOf = (text: string) => [...text.matchAll(/^(?:npx sst|curl) .*$/gm)].map(([line]) => line);

test("the cloud guide's five lines are those of the deploy guide", () => {
  expect(linesOf(CLOUD)).toEqual(linesOf(DEPLOY));
  expect(linesOf(DEPLOY)).toHaveLength(5);
});

test("the five lines set, deploy and remove one stage, which may be removed", () => {
  const stages = linesOf(DEPLOY).map((line) => / --stage (\w+)$/.exec(line)?.[1]);
  const [stage = ""] = stages;
  expect(stages).toEqual([stage, stage, stage, undefined, stage]);
  // Which is protected.
  expect(stage).not.toBe("production");
});

test("the curl of the five lines starts an evaluation", async () => {
  const cwd = aReadersProject({ "evals/quickstart.eval.ts": read("evals/quickstart.eval.ts") });
  const { url, token } = await aServer(cwd);
  const curl = linesOf(CLOUD).find((line) => line.startsWith("curl ")) ?? "";
  const env = { PATH: process.env.PATH, API: url, TOKEN: token };
  const { stdout } = await promisify(execFile)("bash", ["-c", curl], { env });
  expect(JSON.parse(stdout)).toEqual({
    id: expect.stringMatching(/^quickstart-/),
    url: expect.stringContaining("/evaluations/quickstart-"),
  });
});
