import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { DefinitionBundle } from "./bundle.ts";
import type { ChildHandle } from "./child-process.ts";
import { compiledFile } from "./script-bundle.ts";

/** A checker may have left work behind that keeps its process busy. */
const ANSWER_MS = 1_000;

/**
 * Keeps what V8 made of a bundle, if that is news, so that the processes to come start faster.
 * Only a checker's process is asked, which no agent enters: an agent could hand its code to later runs.
 */
export async function keepCompiled(
  checker: ChildHandle,
  { file }: Pick<DefinitionBundle, "file">,
): Promise<void> {
  const code = await askForCompiled(checker);
  if (code.length === 0) return;
  const kept = compiledFile(file);
  const stage = `${kept}.${process.pid}`;
  try {
    writeFileSync(stage, code, { mode: 0o600 });
    renameSync(stage, kept);
  } catch {
    rmSync(stage, { force: true }); // Where there is no room for it, processes start as slowly as before.
  }
}

async function askForCompiled(child: ChildHandle): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const nothing = () => resolve(Buffer.alloc(0));
  child.listen({
    message: (message) => {
      if (message.kind === "compiled") resolve(Buffer.from(message.code, "base64"));
    },
    violated: nothing,
    printed: () => {},
    exited: nothing,
  });
  if (child.exit !== null) nothing();
  const late = setTimeout(nothing, ANSWER_MS);
  child.send({ kind: "compile" });
  const code = await promise;
  clearTimeout(late);
  child.listen(null);
  return code;
}
