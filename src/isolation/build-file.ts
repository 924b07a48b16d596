import { NODE_MODULE } from "./node-module.ts";

/** A program of ours as one file. */
export async function buildFile(entry: string): Promise<string> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    ...NODE_MODULE,
    entryPoints: [entry],
  });
  return outputFiles[0]?.text ?? "";
}
