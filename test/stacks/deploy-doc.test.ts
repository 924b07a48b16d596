import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  MAX_CLOUD_MEMORY_MB,
  MAX_CLOUD_TIMEOUT_SECONDS,
  MAX_INVOCATION_SECONDS,
  runnerMemoryMb,
} from "../../src/domain/cloud-limits.ts";
import { API_TOKEN_SECRET, secretName } from "../../src/domain/cloud-settings.ts";
import { Limits } from "../../src/domain/limits.ts";
import { PROVIDER_TABLE } from "../../src/providers/provider-table.ts";
import { costOf } from "../bench/cloud-prices.ts";

const REPO = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(REPO, path), "utf8");
const DEPLOY = read("stacks/DEPLOY.md");

test("the secrets that are named are those of the providers", () => {
  const variables = Object.values(PROVIDER_TABLE).flatMap(({ named, variables: of }) =>
    named === "always" ? [] : of(null).apiKey,
  );
  for (const variable of variables) expect(DEPLOY).toContain(`\`${secretName(variable)}\``);
  expect(DEPLOY).toContain(`secret set ${API_TOKEN_SECRET} `);
  expect(DEPLOY).toContain(`\`SEARCH_TOKEN\` is \`${secretName("SEARCH_TOKEN")}\``);
});

test("the alarms and the limits are those of the code", () => {
  const alarms = [...read("stacks/alarms.ts").matchAll(/^ {2}(\w+): \{$/gm)].map(([, name]) => `\`${name}\``);
  expect(alarms).toHaveLength(5);
  expect(DEPLOY).toContain(`Alarms, in production: ${alarms.join(", ")}.`);
  expect(DEPLOY).toContain(`may take ${MAX_CLOUD_TIMEOUT_SECONDS} s and use ${MAX_CLOUD_MEMORY_MB} MB`);
  expect(DEPLOY).toContain(`the longest time that Lambda gives (${MAX_INVOCATION_SECONDS} s)`);
  const [lessSeconds, lessMb] = [
    MAX_INVOCATION_SECONDS - MAX_CLOUD_TIMEOUT_SECONDS,
    10_240 - MAX_CLOUD_MEMORY_MB,
  ];
  expect(DEPLOY).toContain(`may take ${lessSeconds} s less than the\nrunner and use ${lessMb} MB less`);
  expect(DEPLOY).toContain(`(${runnerMemoryMb([Limits.parse({})])} MB by default)`);
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
  expect(shown).toEqual({ ...Object.fromEntries(paid), "in all": total.toFixed(4) });
  expect(read("README.md")).toContain(`$${total.toFixed(2)} per 1,000 runs`);
});

const linesOf = (text: string) => [...text.matchAll(/^(?:npx sst|curl) .*$/gm)].map(([line]) => line);

test("the README's five lines are those of the guide", () => {
  expect(linesOf(read("README.md"))).toEqual(linesOf(DEPLOY));
  expect(linesOf(DEPLOY)).toHaveLength(5);
});

test("the five lines set, deploy and remove one stage, which may be removed", () => {
  const stages = linesOf(DEPLOY).map((line) => / --stage (\w+)$/.exec(line)?.[1]);
  const [stage = ""] = stages;
  expect(stages).toEqual([stage, stage, stage, undefined, stage]);
  // Which is protected.
  expect(stage).not.toBe("production");
});
