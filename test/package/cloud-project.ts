import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { FIRST_EVALUATION } from "../../src/cli/init-files.ts";
import type * as cloud from "../../src/cloud.ts";
import { startAwsServers } from "../fixtures/aws/aws-servers.ts";
import { startLambdaServer } from "../fixtures/aws/lambda-server.ts";
import { buildFunction } from "../fixtures/functions/build-function.ts";
import { functionVariables } from "../fixtures/functions/function-variables.ts";
import { http } from "../fixtures/functions/http-event.ts";
import { invokeFunction } from "../fixtures/functions/invoke-function.ts";
import { allOf, linksOf, variablesOf } from "../stacks/find-resources.ts";
import { preparePlatform } from "../stacks/prepare-platform.ts";
import { isOfSst, PROGRAM, SST_IMPORTS } from "../stacks/pulumi-program.ts";
import { synthesise } from "../stacks/synth.ts";

const repo = join(import.meta.dirname, "../..");

/** What an installed package does for somebody who deploys; `installed` is a project that has it. */
export function cloudProjectSuite(installed: () => string): void {
  describe("a project that is deployed", () => {
    let project = "";
    let said = "";

    beforeAll(async () => {
      project = installed();
      const modules = join(project, "node_modules");
      symlinkSync(join(repo, "node_modules/sst"), join(modules, "sst"));
      for (const folder of ["evals", "src/web"]) mkdirSync(join(project, folder), { recursive: true });
      writeFileSync(join(project, "src/web/index.html"), "a page of their own");
      writeFileSync(join(project, "package.json"), '{ "name": "@acme/My.Evals" }');
      writeFileSync(join(project, "evals/sums.eval.ts"), FIRST_EVALUATION);
      const command = join(modules, "agent-evaluator/dist/cli/bin.cjs");
      said = execFileSync(process.execPath, [command, "init", "--cloud"], { cwd: project, encoding: "utf8" });
      await preparePlatform();
      symlinkSync(join(repo, ".sst"), join(project, ".sst"));
    });

    test("has our stacks, and is told how to go on", () => {
      for (const name of ["api", "code", "evaluation", "permissions", "web"])
        expect(read(`stacks/${name}.ts`)).toBe(readFileSync(join(repo, `stacks/${name}.ts`), "utf8"));
      expect(said).toContain(" files written: sst.config.ts, stacks, functions, evals/index.ts\n");
      expect(said).toContain("    npm install -D sst@4.17.1\n");
    });

    test("passes the compiler", () => {
      const { compilerOptions, include } = JSON.parse(read("stacks/tsconfig.json"));
      const options = { ...compilerOptions, typeRoots: [join(repo, "node_modules/@types")] };
      const checked = { compilerOptions: options, include: [...include, "../functions", "../evals"] };
      writeFileSync(join(project, "stacks/tsconfig.test.json"), JSON.stringify(checked));
      const compiler = [join(repo, "node_modules/typescript/bin/tsc"), "-p", "stacks/tsconfig.test.json"];
      const ended = execFileSync(process.execPath, compiler, { cwd: project, encoding: "utf8" });
      expect(ended).toBe("");
    });

    test("becomes an app of its own name with all our functions and its definitions", async () => {
      const made = await synthesise({ stage: "production", project });
      expect(made.warnings).toEqual([]);
      expect(made.imports).toEqual(SST_IMPORTS);
      expect(made.loaded.filter((file) => !isOfSst(file))).toEqual([expect.stringMatching(PROGRAM)]);
      expect(made.app).toMatchObject({ name: "acme-my-evals", protect: true });
      const functions = allOf(made, "aws:lambda/function:Function").map(({ name }) => name);
      const wanted = ["Aggregator", "Api", "OrchestratorHandler", "Runner", "ShardHandler"];
      expect(functions.toSorted()).toEqual(wanted.map((name) => `${name}Function`));
      expect(allOf(made, "aws:dynamodb/table:Table")).toHaveLength(1);
      expect(allOf(made, "aws:cloudwatch/metricAlarm:MetricAlarm")).toHaveLength(5);
      const { dashboard } = made.outputs;
      expect(dashboard).toMatch(/^https:\/\/.*cloudfront\.net$/);
      expect(variablesOf(made, "Api").DASHBOARD_ORIGIN).toBe(dashboard);
      // Built before, and not from the page of their own.
      expect(allOf(made, "command:local:Command")).toEqual([]);
      const uploads = allOf(made, "pulumi-nodejs:dynamic:Resource").flatMap(
        ({ inputs }) => inputs.files ?? [],
      );
      expect(uploads.map(({ key }) => key)).toEqual(
        expect.arrayContaining(["index.html", expect.stringMatching(/^assets\/.*\.js$/)]),
      );
      expect(linksOf(made, "Api")).toEqual(["ApiToken"]);
      expect(variablesOf(made, "Runner").DEFINITIONS).toBe("definitions");
      const files = ["src/definitions/index.json", "src/evals/sums.eval.ts", "src/isolation/reaper.js"];
      expect(made.packages.Runner).toEqual(expect.arrayContaining(files));
      const handlers = made.calls.filter(({ method }) => method === "Runtime.Build");
      for (const { args } of handlers) {
        const [file, name = ""] = String(args.handler).split(".");
        expect(read(`${file}.ts`)).toMatch(new RegExp(`export \\{.*\\b${name}\\b.*\\} from`));
      }
    });

    test("runs its evaluations in the functions that it deploys", async () => {
      const [aws, lambda] = await Promise.all([startAwsServers(), startLambdaServer()]);
      onTestFinished(async () => void (await Promise.all([aws.stop(), lambda.stop()])));
      const task = join(project, "../task");
      mkdirSync(task);
      const names = ["api", "orchestrator", "runner", "aggregator", "schedule"];
      await Promise.all(names.map((name) => buildFunction(name, task, project)));
      const place = pathToFileURL(join(project, "node_modules/agent-evaluator/dist/cloud.js")).href;
      const { loadPacker } = (await import(place)) as typeof cloud;
      const { describeDeployment, packDefinitions } = loadPacker(project);
      const index = join(project, "evals/index.ts");
      await packDefinitions(index, task, task);
      const { runner } = await describeDeployment(index);
      const variables = {
        ...functionVariables(aws, lambda, await aws.createTable()),
        RUNNER_MEMORY_MB: String(runner.memoryMb),
        RUNNER_DISK_MB: String(runner.diskMb),
      };
      const started = await invokeFunction("api", task, variables, [
        http("POST", "/evaluations", { body: { evaluation: "first" } }),
      ]);
      expect(started.answers).toMatchObject([{ statusCode: 202 }]);
      const { id: evaluationId } = JSON.parse(Object(started.answers[0]).body);
      const event = { v: 1, evaluationId, round: 1 };
      const ran = await invokeFunction("runner", task, variables, [
        { ...event, run: 0 },
        { ...event, run: 5 },
      ]);
      expect(ran.answers).toEqual(["ended", "ended"]);
      const shown = await invokeFunction("api", task, variables, [
        http("GET", `/evaluations/${evaluationId}/logs`),
      ]);
      const { logs } = JSON.parse(Object(shown.answers[0]).body);
      expect(logs).toMatchObject([{ correct: true }, { correct: false }]);
      for (const name of ["orchestrator", "aggregator", "schedule"]) {
        const { answers } = await invokeFunction(name, task, variables, [{}]);
        expect(answers).toEqual([{ thrown: expect.stringMatching(/durable|invalid/i) }]);
      }
    });

    const read = (path: string) => readFileSync(join(project, path), "utf8");
  });
}
