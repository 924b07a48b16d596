import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

type Env = Readonly<Record<string, string | undefined>>;

/** Opens an address in the user's browser; false when there is none. It never goes through a shell. */
export async function openAddress(address: string, platform: NodeJS.Platform, env: Env): Promise<boolean> {
  const command = openerOf(platform, env);
  if (command === null) return false;
  const [program, ...words] = command;
  const opener = spawn(program, [...words, address], { stdio: "ignore", detached: true });
  try {
    await once(opener, "spawn");
  } catch {
    return false;
  }
  opener.on("error", () => {});
  opener.unref();
  return true;
}

/** A terminal without a screen gets no browser: the one it may have would draw over what we print. */
function openerOf(platform: NodeJS.Platform, env: Env): readonly [string, ...string[]] | null {
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ["xdg-open"] : null;
}

/** Longer than any browser takes to start. */
const LONGEST_MS = 60_000;

interface Redirect extends AsyncDisposable {
  /** Opened by a browser to get to the address. */
  readonly url: string;
}

/**
 * Writes a short-lived file that redirects a browser to an address with a token in it. Everybody on the machine can
 * read the words of a command, but only this user can read the file.
 */
export async function writeRedirect(folder: string, address: string): Promise<Redirect> {
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

/** Returns the dashboard's address; the page takes the token out of it at once, and no server ever sees it there. */
export const pageAddress = (url: string, token: string, page = ""): string =>
  `${url}/#token=${encodeURIComponent(token)}${page === "" ? "" : `&${page}`}`;
