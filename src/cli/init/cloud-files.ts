import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod";
import { packageRoot } from "../package-root.ts";

/** What each function of a project passes on of ours. */
const FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  api: ["handler"],
  orchestrator: ["handler", "shardHandler"],
  runner: ["handler"],
  aggregator: ["handler"],
  schedule: ["handler"],
};

/** The files, by path, with which SST deploys the evaluations of a project: the very stacks that we deploy ours with. */
export function cloudFiles(project: string): ReadonlyMap<string, string> {
  const ours = packageRoot();
  const read = (path: string) => readFileSync(join(ours, path), "utf8");
  const stacks = readdirSync(join(ours, "stacks")).filter((name) => name.endsWith(".ts"));
  return new Map([
    [
      "sst.config.ts",
      read("sst.config.ts").replace('name: "agent-evaluator"', `name: "${appName(project)}"`),
    ],
    ...stacks.map((name): [string, string] => [`stacks/${name}`, read(`stacks/${name}`)]),
    ["stacks/tsconfig.json", withoutPaths(read("stacks/tsconfig.json"))],
    ...Object.entries(FUNCTIONS).map(([name, handlers]): [string, string] => [
      `functions/${name}.ts`,
      `export { ${handlers.join(", ")} } from "agent-evaluator/functions/${name}";\n`,
    ]),
  ]);
}

/** Two apps of one name would share what they deploy: each is named after its project. */
function appName(project: string): string {
  const words = nameOf(project)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .join("-");
  return words.replace(/^[^a-z]+/, "").replace(/-+$/, "") || "evaluations";
}

function nameOf(project: string): string {
  try {
    const text = readFileSync(join(project, "package.json"), "utf8");
    return Named.parse(JSON.parse(text)).name;
  } catch {
    return basename(project); // No package.json, or one without a name.
  }
}

const Named = z.object({ name: z.string() });

/** Only here the package that the stacks import is made from the sources beside them. */
function withoutPaths(text: string): string {
  const { compilerOptions, ...rest } = TsConfig.parse(JSON.parse(text));
  const { paths: _, ...options } = compilerOptions;
  return `${JSON.stringify({ compilerOptions: options, ...rest }, null, 2)}\n`;
}

const TsConfig = z.looseObject({ compilerOptions: z.record(z.string(), z.unknown()) });
