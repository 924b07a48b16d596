import { CHILD_FLAG } from "../child/reentry.ts";
import type { OwnPackage } from "./bundle.ts";
import { NODE_MODULE } from "./options.ts";

/**
 * What a module bundle begins with: packages that stay outside of it run before any line of it, and this runs before
 * them. A script bundle asks for its packages in their turn, after our child module.
 */
export async function firstImport(own: OwnPackage): Promise<string> {
  const contents = [
    'import { stayInside } from "./child/stay-inside";',
    `if (process.argv[2] === ${JSON.stringify(CHILD_FLAG)}) stayInside(process);`,
  ].join("\n");
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    ...NODE_MODULE,
    stdin: { contents, resolveDir: own.folder },
    resolveExtensions: [".ts", ".js"],
    minify: true,
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  return `import "data:text/javascript;base64,${code}";`;
}
