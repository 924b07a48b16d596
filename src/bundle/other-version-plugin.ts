import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Plugin } from "esbuild";
import type { OtherVersion } from "./places.ts";

/**
 * Keeps the copy of another commit to itself: a package of the repository's own, which its node_modules only link to, is
 * the copy's too.
 */
export function otherVersionPlugin({ root, original }: OtherVersion): Plugin {
  const isIn = (folder: string, path: string): boolean => path.startsWith(folder + sep);
  return {
    name: "agent-evaluator-other-version",
    setup(build) {
      build.onResolve({ filter: /^[^./]/, namespace: "file" }, async (args) => {
        if (args.pluginData === asking || !isIn(root, args.importer)) return undefined;
        const { importer, kind, resolveDir, with: attributes, path: wanted } = args;
        const question = { importer, kind, resolveDir, with: attributes, pluginData: asking };
        const { path, errors, external } = await build.resolve(wanted, question);
        if (errors.length > 0 || external || !isIn(original, path)) return undefined;
        if (path.includes(`${sep}node_modules${sep}`)) return undefined;
        const copied = join(root, relative(original, path));
        return existsSync(copied) ? { path: copied } : undefined;
      });
    },
  };
}

const asking = Symbol("asking");
