import { spawn } from "node:child_process";
import { once } from "node:events";

interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Opens an address in the user's browser; false when there is none. It never goes through a shell. */
export async function openAddress(address: string, surroundings: Surroundings): Promise<boolean> {
  const command = openerOf(surroundings);
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
function openerOf({ platform, env }: Surroundings): readonly [string, ...string[]] | null {
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ["xdg-open"] : null;
}
