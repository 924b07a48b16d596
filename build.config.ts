import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  globSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { build } from "vite";

// Builds `dist`: every source file becomes one module and one declaration, at the same place as in `src`, and every
// function beside them.
// One module per file lets a user's bundle leave out what it does not use. The command is bundled, with zod:
// it loads in a few files instead of some 280, which takes a fifth of the CPU time of a first run away.
// The dashboard comes in two forms: as a server gives it out, and as a report holds it.
const root = import.meta.dirname;
const dist = join(root, "dist");
const command = join(dist, "cli/bin.cjs");

/** With all that they import they become one file: seventy take a command a fifth of its start to find and load. */
const LOADED_BY_EVERY_RUN =
  /\/src\/(?:cli\/(?:host|run-cli|exit|commands\/run)|local\/run-evaluation|store\/sqlite\/sqlite-store|engine\/definition\/read-definition)\.ts$/;

rmSync(dist, { recursive: true, force: true });
execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", join(root, "tsconfig.build.json")], {
  stdio: "inherit",
});
for (const name of readdirSync(join(dist, "src"))) renameSync(join(dist, "src", name), join(dist, name));
rmdirSync(join(dist, "src"));
for (const path of globSync("**/*.{js,d.ts}", { cwd: dist })) nameBuiltFiles(join(dist, path));
await bundleCommand();
for (const mode of ["production", "report"]) await build({ mode, logLevel: "warn" });
writeFileSync(command, startedByAnyNode());
chmodSync(command, 0o755);

async function bundleCommand(): Promise<void> {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    dependencies: Readonly<Record<string, string>>;
  };
  // Vite builds the dashboard only where the sources are.
  const left = [...Object.keys(dependencies).filter((name) => name !== "zod"), "vite"];
  const isLeft = (id: string) => left.some((name) => id === name || id.startsWith(`${name}/`));
  const bundle = await rolldown({
    input: join(root, "src/cli/main.ts"),
    platform: "node",
    external: (id) => isBuiltin(id) || isLeft(id),
    checks: { ineffectiveDynamicImport: false },
  });
  rmSync(join(dist, "cli"), { recursive: true });
  await bundle.write({
    dir: join(dist, "cli"),
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: { groups: [{ name: "run", test: LOADED_BY_EVERY_RUN }] },
  });
  await bundle.close();
  copyFileSync(join(root, "node_modules/zod/LICENSE"), join(dist, "cli/zod.LICENSE"));
}

/** The compiler renames what code imports; declarations and addresses still name the sources. */
function nameBuiltFiles(file: string): void {
  const text = readFileSync(file, "utf8");
  const isDeclaration = file.endsWith(".d.ts");
  const place = isDeclaration
    ? /((?:from|import)\s*\(?\s*"\.{1,2}\/[^"\n]+)\.ts"/g
    : /(new URL\(\s*"\.{1,2}\/[^"\n]+)\.ts"(?=\s*,\s*import\.meta\.url)/g;
  const named = text.replace(place, '$1.js"').replaceAll(/((?:from|import\() *")\.\.\/src\//g, "$1../");
  if (named !== text) writeFileSync(file, named);
}

/** What npm links as the command: any Node since 12 can read it, and an old one is told so plainly. */
function startedByAnyNode(): string {
  return `#!/usr/bin/env node
"use strict";
var version = process.versions.node;
if (Number(version.split(".")[0]) < 24) {
  console.error("Agent Evaluator needs Node 24 or newer; this is Node " + version + ".");
  console.error("In a project, npm install --save-dev node@24 brings one along for npx and npm scripts.");
  process.exitCode = 1;
} else {
  import("./main.js");
}
`;
}
