import { readdirSync, readFileSync } from "node:fs";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import * as z from "zod";
import { API_TOKEN_SECRET, secretName } from "../domain/cloud/settings.ts";
import { hasCode, ignoreMissing } from "../domain/errors.ts";
import { plural } from "../domain/format.ts";
import { evalFilesIn } from "./files.ts";
import { packageRoot } from "./host.ts";
import { type Line, shellWord } from "./text/screen.ts";

interface WrittenFiles {
  readonly written: readonly string[];
  /** Files that existed before and are not overwritten. */
  readonly left: readonly string[];
}

/** Writes the missing files for deploying a project's evaluations; where there are none, a first one too. */
export async function writeCloud(project: string): Promise<WrittenFiles> {
  const evals = join(project, "evals");
  const found = await evalFilesIn(evals);
  const listed = found.length === 0 ? [join(project, FIRST_FILE)] : found;
  const files = new Map([
    ...cloudFiles(project),
    ...(found.length === 0 ? [[FIRST_FILE, FIRST_EVALUATION] as const] : []),
    ["evals/index.ts", evalsIndex(evals, listed)],
  ]);
  const written: string[] = [];
  const left: string[] = [];
  for (const [path, text] of files) {
    const end = await writeNew(join(project, path), text);
    (end === "written" ? written : left).push(path);
  }
  await ignoreSst(join(project, ".gitignore"));
  return { written, left };
}

/** Keeps the files that SST makes for itself out of commits. */
async function ignoreSst(file: string): Promise<void> {
  const text = (await readFile(file, "utf8").catch(ignoreMissing)) ?? "";
  if (/^\/?\.sst\/?\s*$/m.test(text)) return;
  await appendFile(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}.sst/\n`);
}

/** Returns the text of a file that lists these evaluations for deployment. */
function evalsIndex(folder: string, files: readonly string[]): string {
  const names: string[] = [];
  for (const file of files) names.push(nameFor(file, names));
  const imports = files.map(
    (file, index) => `import ${names[index]} from ${JSON.stringify(specifier(folder, file))};\n`,
  );
  return `${imports.join("")}
/** The evaluations that are deployed; each is the default export of a file of its own. */
export default [${names.join(", ")}];
`;
}

const specifier = (folder: string, file: string): string =>
  `./${relative(folder, file).split(sep).join("/")}`;

/** `price-list.eval.ts` becomes `priceListEvaluation`, which is never a reserved word. */
function nameFor(file: string, taken: readonly string[]): string {
  const words = basename(file)
    .replace(/\.eval\.\w+$/, "")
    .split(/[^A-Za-z0-9]+/);
  const [first = "", ...rest] = [...words, "evaluation"].filter((word) => word !== "");
  const name =
    first.slice(0, 1).toLowerCase() +
    first.slice(1) +
    rest.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  const legal = /^\d/.test(name) ? `_${name}` : name;
  const isTaken = (wanted: string) => taken.includes(wanted);
  return isTaken(legal) ? `${legal}${taken.filter((other) => other.startsWith(legal)).length + 1}` : legal;
}

/** The version that the stacks are made for. */
export const SST_VERSION = "4.17.1";

const GUIDE = "node_modules/agent-evaluator/stacks/DEPLOY.md";

/** Lists the files that were written or left, and the next steps. */
export function cloudLines({ written, left }: WrittenFiles, isInstalled: boolean): Line[] {
  return [
    [["✓ ", "green"], [summaryOf(written)]],
    ...left.map((path): Line => [["  "], [`${path} already exists, not overwritten.`, "yellow"]]),
    [["  Deploy it, with the credentials of your AWS account in the environment:"]],
    ...stepsOf(isInstalled).map((step): Line => [["    "], [step, "cyan"]]),
    [["  What is deployed, and what it costs: "], [GUIDE, "cyan"]],
  ];
}

function summaryOf(written: readonly string[]): string {
  if (written.length === 0) return "nothing was missing.";
  const places = new Set(written.map((path) => (path.startsWith("evals/") ? path : path.split("/")[0])));
  return `${plural(written.length, "file")} written: ${[...places].join(", ")}`;
}

const stepsOf = (isInstalled: boolean): string[] => [
  `npm install -D ${isInstalled ? "" : "agent-evaluator "}sst@${SST_VERSION}`,
  `npx sst secret set ${API_TOKEN_SECRET} <a token that you make up> --stage demo`,
  `npx sst secret set ${secretName("OPENAI_API_KEY")} <key> --stage demo`,
  "npx sst deploy --stage demo",
];

/** The handlers of this package that each function of a project exports. */
const FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  api: ["handler"],
  orchestrator: ["handler", "shardHandler"],
  runner: ["handler"],
  aggregator: ["handler"],
  schedule: ["handler"],
};

/** Returns the files, by path, with which SST deploys a project's evaluations: copies of this package's own stacks. */
function cloudFiles(project: string): ReadonlyMap<string, string> {
  const root = packageRoot();
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const stacks = readdirSync(join(root, "stacks")).filter((name) => name.endsWith(".ts"));
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
  const words = projectName(project)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .join("-");
  return words.replace(/^[^a-z]+/, "").replace(/-+$/, "") || "evaluations";
}

function projectName(project: string): string {
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

export const FIRST_FILE = "evals/first.eval.ts";

/** A first evaluation: complete, short, and played by the scripted provider so that it runs without a key. */
export const FIRST_EVALUATION = `import { defineEvaluation } from "agent-evaluator";

export default defineEvaluation({
  name: "first",

  // Scripted models play the replies below: no key, no network.
  // A real one is ["openai", "gpt-5-mini"], with its key in the environment or in .env.
  models: [
    ["scripted", "careful"],
    ["scripted", "hasty"],
  ],

  // A problem, and what the answer should be.
  problems: [
    ["What is 2 + 3?", 5],
    ["What is 7 * 6?", 42],
    ["What is 10 / 4?", 2.5],
  ],

  // Your agent: anything that takes a problem and comes back with a result.
  buildAgent: (provider, model, _tools, problem) => async ({ signal }) => {
    const messages = [{ role: "user" as const, content: \`\${problem} Answer with the number only.\` }];
    const reply = await provider.generate({ model, messages }, { signal });
    return Number(reply.content);
  },

  resultChecker: (result, expected) => result === expected,

  // Dollars per million tokens. Real models have known prices; set them only to overrule those.
  prices: {
    "scripted/careful": { input: 2.5, output: 10 },
    "scripted/hasty": { input: 0.15, output: 0.6 },
  },

  scripts: {
    careful: [
      { when: "2 + 3", say: "5", latencyMs: 300 },
      { when: "7 * 6", say: "42", latencyMs: 400 },
      { when: "10 / 4", say: "2.5", latencyMs: 500 },
    ],
    hasty: [
      { when: "10 / 4", say: "2", latencyMs: 50 },
      { when: "7 * 6", fail: "provider_error" },
      { say: "5", latencyMs: 50 },
    ],
  },
});
`;

/** Writes a file, unless there is one. */
export async function writeNew(path: string, text: string): Promise<"written" | "already-there"> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, text, { flag: "wx" });
    return "written";
  } catch (error) {
    if (hasCode(error, "EEXIST")) return "already-there";
    throw error;
  }
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2023",
    "module": "nodenext",
    "strict": true,
    "allowImportingTsExtensions": true,
    "skipLibCheck": true,
    "noEmit": true
  },
  "include": ["evals"]
}
`;

const Package = z.looseObject({ scripts: z.record(z.string(), z.string()).optional() });

/** Adds what a project lacks around its evaluations: a tsconfig, and a script in its package.json; names what it wrote. */
export async function writeProjectFiles(project: string, file: string): Promise<string[]> {
  const written: string[] = [];
  if ((await writeNew(join(project, "tsconfig.json"), TSCONFIG)) === "written") written.push("tsconfig.json");
  if (await addScript(join(project, "package.json"), file))
    written.push('the script "evals" in package.json');
  return written;
}

/** Leaves a package.json alone that is not there, cannot be read, or has such a script. */
async function addScript(path: string, file: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(ignoreMissing);
  const own: unknown = text === null ? null : parseOrNull(text);
  const { success, data } = Package.safeParse(own);
  if (text === null || !success || data.scripts?.evals !== undefined) return false;
  const scripts = { ...data.scripts, evals: `agent-evaluator run ${shellWord(file)}` };
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? "  ";
  await writeFile(path, `${JSON.stringify({ ...Object(own), scripts }, null, indent)}\n`);
  return true;
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
