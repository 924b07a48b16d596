import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Longer than any browser takes to start. */
const LONGEST_MS = 60_000;

export interface Door extends AsyncDisposable {
  /** What a browser opens to get to the address. */
  readonly url: string;
}

/**
 * A short-lived file that leads a browser to an address with a token in it. Everybody on the machine can read the words
 * of a command, but only this user can read the file.
 */
export async function writeDoor(folder: string, address: string): Promise<Door> {
  const file = join(folder, "open.html");
  const remove = () => rm(file, { force: true });
  await remove();
  await writeFile(file, pageTo(address), { mode: 0o600, flag: "wx" });
  const timer = setTimeout(() => void remove().catch(() => {}), LONGEST_MS).unref();
  return {
    url: pathToFileURL(file).href,
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await remove();
    },
  };
}

function pageTo(address: string): string {
  const safe = address.replaceAll(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);
  return `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${safe}">
<title>Agent Evaluator</title>
<p><a href="${safe}">Open the dashboard</a></p>
`;
}
