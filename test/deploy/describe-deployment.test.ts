import { join } from "node:path";
import { expect, test } from "vitest";
import { describeDeployment } from "../../src/deploy/describe-deployment.ts";
import { aProject } from "../fixtures/files/a-project.ts";
import { EVALS_VARIABLES, evals } from "../stacks/deployed-evals.ts";

const definition = (fields: string) => `{
  models: [["scripted", "one"]], problems: ["?"], buildAgent: () => () => "!", resultChecker: () => true, ${fields}
}`;

const describeIndex = (text: string) =>
  describeDeployment(join(aProject({ "package.json": "{}", "evals/index.ts": text }), "evals/index.ts"));

test("a deployment is what its definitions need together", async () => {
  expect(await describeDeployment(join(evals, "index.ts"))).toEqual({
    definitions: [
      { name: "nightly capitals", schedule: "cron(0 2 * * ? *)" },
      { name: "hourly", schedule: "rate(1 hour)" },
    ],
    variables: EVALS_VARIABLES,
    alarmVariables: ["ALARM_URL"],
    runner: { memoryMb: 3_256, diskMb: 2_256, timeoutSeconds: 900, tenantIsolation: "per-model" },
    usesBedrock: true,
    packages: {},
  });
});

test("a base URL that definitions have themselves is not asked for", async () => {
  const folder = join(import.meta.dirname, "../fixtures/stacks/own-url");
  expect((await describeDeployment(join(folder, "index.ts"))).variables).not.toContain("MINE_BASE_URL");
  expect((await describeDeployment(join(folder, "both.ts"))).variables).toContain("MINE_BASE_URL");
});

test("a project says how large its runner is, and whom it isolates", async () => {
  const sized = join(import.meta.dirname, "../fixtures/stacks/sized/index.ts");
  const { runner } = await describeDeployment(sized);
  expect(runner).toEqual({
    memoryMb: 2_048,
    diskMb: 4_096,
    timeoutSeconds: 300,
    tenantIsolation: "per-run",
  });
});

test.each([
  [`{ timeoutSeconds: 901 }`, /runner\.timeoutSeconds: .*<=900/],
  [`{ timeoutSeconds: 60 }`, /runner\.timeoutSeconds: .*>=120/],
  [`{ memoryMb: 128 }`, /runner\.memoryMb: .*>=512/],
  [`{ diskMb: 256 }`, /runner\.diskMb: .*>=512/],
  [`{ memory: 2_048 }`, /runner: .*"memory"/],
  [`{ tenantIsolation: "none" }`, /runner\.tenantIsolation: .*"per-model"\|"per-run"/],
  [
    `{ timeoutSeconds: 360 }`,
    /long: limits\.timeoutSeconds is 301, .* ends after 360 s .* at most 300, or deploy with a larger `runner.timeoutSeconds`/,
  ],
  [`{ memoryMb: 1_024 }`, /long: limits\.memoryMb is 1024, .* has 1024 MB .* set it to at most 768/],
  [`{ diskMb: 512 }`, /long: limits\.diskMb is 1024, .* has 512 MB of disk .* set it to at most 256/],
])("a runner of %s is refused before anything is deployed", async (runner, complaint) => {
  const long = definition('name: "long", limits: { timeoutSeconds: 301 }');
  await expect(describeIndex(`export const runner = ${runner}; export default [${long}];`)).rejects.toThrow(
    complaint,
  );
});

test.each([
  ["no list", definition(""), /not a list of definitions; write `export default \[first\]`/],
  ["an empty list", "[]", /not a list of definitions/],
  ["a wrong option", `[${definition("trials: 0")}]`, /trials: .*got 0/],
  [
    "a timeout that Lambda cannot hold",
    `[${definition('name: "long", limits: { timeoutSeconds: 841 }')}]`,
    /long: limits\.timeoutSeconds is 841, .* set it to at most 840/,
  ],
  [
    "memory that Lambda does not have",
    `[${definition('name: "fat", limits: { memoryMb: 10_000 }')}]`,
    /fat: limits\.memoryMb is 10000, .* set it to at most 9984/,
  ],
  [
    "disk that Lambda does not have",
    `[${definition('name: "hoard", limits: { diskMb: 10_000 }')}]`,
    /hoard: limits\.diskMb is 10000, .* set it to at most 9984/,
  ],
  [
    "one name twice",
    `[${definition('name: "a"')}, ${definition('name: "a"')}]`,
    /the name "a" is given twice/,
  ],
  [
    "variables that share a secret",
    `[${definition('env: ["A_KEY", "a_key"]')}]`,
    /the secret AKey cannot stand for A_KEY and a_key at once; rename one/,
  ],
  [
    "a definition without a file of its own",
    `[${definition('name: "here"')}]`,
    /"here" is not the default export of an \.eval\.ts file that it imports; make it one/,
  ],
  [
    "the API's own secret",
    `[${definition('env: ["API_TOKEN"]')}]`,
    /the secret ApiToken cannot stand for API_TOKEN/,
  ],
])("%s is refused before anything is deployed", async (_, text, complaint) => {
  await expect(describeIndex(`export default ${text};`)).rejects.toThrow(complaint);
});
