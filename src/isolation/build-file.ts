/** A program of ours as one file. */
export async function buildFile(entry: string): Promise<string> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node24",
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}
