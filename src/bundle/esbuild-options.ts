import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildOptions } from "esbuild";
import { CHILD_FLAG } from "../child/reentry.ts";
import { externalsPlugin } from "./externals-plugin.ts";
import { otherVersionPlugin } from "./other-version-plugin.ts";
import type { OwnPackage, UserEntry } from "./places.ts";
import { locationDefines, type Shift, sourcePlugin } from "./source-plugin.ts";

/** Scripts start faster than modules, but cannot wait at the top level. */
export type BundleFormat = "script" | "module";

interface Bundling {
  readonly user: UserEntry;
  readonly own: OwnPackage;
  readonly format: BundleFormat;
  /** As if it were written here: from there source maps name the files. */
  readonly outfile: string;
}

/** Bundles a definition; what stays outside of it is named, our own files apart from packages. */
export async function buildDefinition({ user, own, format, outfile }: Bundling) {
  const found = new Set<string>();
  const left = new Set<string>();
  const shifts = new Map<string, Shift>();
  const { build } = await import("esbuild");
  const { outputFiles, metafile } = await build({
    ...bundleOptions(user, own, format, format === "module" ? await firstImport(own) : ""),
    outfile,
    plugins: [...versionPlugins(user), externalsPlugin(own, found, left), sourcePlugin(shifts)],
  });
  return { outputFiles, metafile, found, left, shifts };
}

/** Builds on the untouched sources, so that the lines which a failure shows are the user's own. */
export async function buildUntouched({ user, own, format, outfile }: Bundling): Promise<void> {
  const { build } = await import("esbuild");
  await build({
    ...bundleOptions(user, own, format),
    outfile,
    plugins: [...versionPlugins(user), externalsPlugin(own, new Set())],
  });
}

const versionPlugins = ({ other }: UserEntry) => (other === undefined ? [] : [otherVersionPlugin(other)]);

/** Options with which esbuild bundles a definition; `first` is a statement that the bundle begins with. */
function bundleOptions(user: UserEntry, own: OwnPackage, format: BundleFormat, first = "") {
  return {
    ...NODE_MODULE,
    format: format === "script" ? "cjs" : "esm",
    stdin: {
      contents: entryText(user, own),
      resolveDir: user.root,
      sourcefile: "agent-evaluator-entry",
    },
    absWorkingDir: user.root,
    metafile: true,
    conditions: extname(own.childModule) === ".ts" ? ["agent-evaluator-source"] : [],
    resolveExtensions: [".tsx", ".ts", ".jsx", ".js", ".json", ".node"],
    define: locationDefines,
    banner: { js: first + banner(user.file) },
    // Line breaks stay, because Node prints the whole source line of an uncaught error.
    minifySyntax: true,
    sourcemap: "external",
    sourcesContent: false,
  } satisfies BuildOptions;
}

function entryText({ file, other }: UserEntry, { childModule, folder }: OwnPackage): string {
  const user =
    other === undefined
      ? [`import * as user from ${JSON.stringify(file)};`]
      : [
          `import { sideBySide } from ${JSON.stringify(join(folder, "child/side-by-side"))};`,
          `import * as current from ${JSON.stringify(file)};`,
          `import * as other from ${JSON.stringify(other.file)};`,
          `const user = { default: sideBySide(current.default, other.default, ${JSON.stringify(other.variant)}) };`,
        ];
  return [
    `import { serveIfChild } from ${JSON.stringify(childModule)};`,
    ...user,
    "export { user };",
    "serveIfChild(user);",
  ].join("\n");
}

/** CommonJS code asks for `require`; what it asks for at run time is found from the user's file. */
function banner(userFile: string): string {
  const from = JSON.stringify(pathToFileURL(userFile).href);
  // Not imported: the facade of a built-in module costs a process milliseconds, and few bundles need it.
  return [
    'const __createRequire=(from)=>process.getBuiltinModule("module").createRequire(from);',
    `let __made;const __ownRequire=()=>__made??=__createRequire(${from});`,
    "const __findModule=(id)=>process.getBuiltinModule(id)??__ownRequire()(id);",
    "const require=new Proxy(()=>{},{apply:(_,self,[id])=>__findModule(id),get:(_,key)=>__ownRequire()[key]});",
    "const __resolveFrom=(base,name)=>/^([.]{0,2}[/]|[a-z]+:)/.test(name)?new URL(name,base).href",
    ':process.getBuiltinModule("url").pathToFileURL(__createRequire(base).resolve(name)).href;',
  ].join("");
}

/**
 * What a module bundle begins with: packages that stay outside of it run before any line of it, and this runs before
 * them. A script bundle asks for its packages in their turn, after our child module.
 */
async function firstImport(own: OwnPackage): Promise<string> {
  const contents = [
    'import { stayInside } from "./child/stay-inside";',
    `if (process.argv[2] === ${JSON.stringify(CHILD_FLAG)}) stayInside(process);`,
  ].join("\n");
  const stdin = { contents, resolveDir: own.folder };
  const code = await buildFile({ stdin, resolveExtensions: [".ts", ".js"], minify: true });
  return `import "data:text/javascript;base64,${Buffer.from(code).toString("base64")}";`;
}

/** Builds one file and gives its text. */
export async function buildFile(options: BuildOptions): Promise<string> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({ ...options, ...NODE_MODULE });
  return outputFiles[0]?.text ?? "";
}

/** Options for all that is bundled: ES modules for Node, which we write ourselves. */
export const NODE_MODULE = {
  bundle: true,
  write: false,
  platform: "node",
  format: "esm",
  target: "node24",
  legalComments: "none",
  logLevel: "silent",
} as const satisfies BuildOptions;
