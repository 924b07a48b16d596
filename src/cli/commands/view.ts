import { resolve } from "node:path";
import * as z from "zod";
import type { Execute } from "../command-table.ts";
import { dashboardAssets } from "../dashboard/assets.ts";
import { openAddress, pageAddress, writeDoor } from "../dashboard/open.ts";
import { UsageError } from "../errors.ts";
import { readEnvFile } from "../files.ts";
import { findEvaluation } from "../find-evaluation.ts";
import { PortFlag, readFlags } from "../flags.ts";
import type { Host } from "../host.ts";
import { printWhole } from "../screen.ts";
import { nothingServed, servedFiles, serveFolder } from "../serve/serve-folder.ts";
import { DEFAULT_STORE, openStore } from "../store.ts";
import type { Line } from "../text/line.ts";

export const ViewFlags = z.strictObject({
  port: PortFlag,
  store: z.string().min(1, "a folder").optional(),
  "no-open": z.boolean().default(false),
});

/** The dashboard in the browser, until Ctrl-C. */
export const execute: Execute = async (host, words, raw) => {
  const flags = readFlags("view", ViewFlags, raw);
  const [typed, extra] = words;
  if (extra !== undefined) throw new UsageError(`view takes one id, got also "${extra}".`, "view");
  await readEnvFile(host.cwd, host.process.env);
  const store = await openStore(host, flags.store);
  await using doors = new AsyncDisposableStack();
  try {
    const page = typed === undefined ? "" : `/evaluations/${(await findEvaluation(store, typed, "view")).id}`;
    const assets = dashboardAssets();
    // Built now, if it has to be: a browser that waits for its first answer looks broken.
    await assets("/index.html");
    return await serveFolder(host, {
      store,
      findFiles: servedFiles(host),
      port: flags.port,
      assets,
      onListening: async ({ url, token, definitions }) => {
        const address = pageAddress(url, token, page);
        const isOpen = !flags["no-open"] && (await openBrowser(host, flags.store, address, doors));
        printWhole(host.stdout, greeting(host, address, isOpen, definitions));
      },
    });
  } finally {
    await store.close();
  }
};

async function openBrowser(
  { cwd, env, process }: Host,
  store: string | undefined,
  address: string,
  doors: AsyncDisposableStack,
): Promise<boolean> {
  const door = doors.use(await writeDoor(resolve(cwd, store ?? DEFAULT_STORE), address));
  return openAddress(door.url, { platform: process.platform, env });
}

const greeting = (host: Host, address: string, isOpen: boolean, definitions: number): Line[] => [
  [["✓ ", "green"], [isOpen ? "Your browser opens " : "Open "], [address, "cyan"]],
  ...nothingServed(host, definitions),
  [["  It follows what runs here and in other terminals. Ctrl-C ends.", "dim"]],
];
