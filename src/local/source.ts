import { dirname, resolve } from "node:path";
import { ownPackage } from "../bundle/places.ts";
import type { CodeOrigin } from "../engine/record.ts";
import { askGit } from "./git.ts";
import { childModule } from "./own-files.ts";

/** Says which code an evaluation runs: the commit of its file's folder, whether files differ from it, and our version. */
export async function describeSource(file: string | null): Promise<CodeOrigin> {
  const { version } = ownPackage(childModule());
  const folder = file === null ? process.cwd() : dirname(resolve(file));
  try {
    const [commit, changes] = await Promise.all([
      askGit(folder, ["rev-parse", "--verify", "HEAD"]),
      askGit(folder, ["--no-optional-locks", "status", "--porcelain", "--untracked-files=no"]),
    ]);
    const isTracked = file === null || (await askGit(folder, ["ls-files", "--", resolve(file)])) !== "";
    return { commit: commit.trim(), isDirty: changes !== "" || !isTracked, version };
  } catch {
    return { commit: null, isDirty: null, version }; // No git here, or a folder that it does not know.
  }
}
