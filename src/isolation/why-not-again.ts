import { createRequire } from "node:module";

/** Programs that load a user's code into themselves; starting them again would not come to the same line. */
const RUNNERS =
  /[\\/]node_modules[\\/](vitest|tinypool|vite-node|jest(?:-[a-z-]+)?|mocha|ava|playwright|@playwright[\\/]test)[\\/]/;

/** Null when this program can be started again up to the same call, else where we are. */
export function whyNotAgain(
  script: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
): string | null {
  const [, runner] = RUNNERS.exec(script ?? "") ?? [];
  if (runner !== undefined) return `inside a test runner (${runner})`;
  if (variables.NODE_TEST_CONTEXT !== undefined) return "inside a test runner (node --test)";
  return script === undefined || !isFile(script) ? "in a REPL or with node -e" : null;
}

/** As Node finds a program: an extension or the name of a folder's main file may be left out. */
function isFile(script: string): boolean {
  try {
    return createRequire(import.meta.url).resolve(script) !== "";
  } catch {
    return false; // There is no such file, or none that this process may see.
  }
}
