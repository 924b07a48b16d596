import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Execute } from "../command-table.ts";
import { readEnvFile } from "../env-file.ts";
import { findEvaluation } from "../find-evaluation.ts";
import type { Host } from "../host.ts";
import { openStore } from "../open-store.ts";
import { readFlags } from "../read-flags.ts";
import { printWhole } from "../screen.ts";
import { PortFlag } from "../serve/port-flag.ts";
import { serveFolder } from "../serve/serve-folder.ts";
import { UsageError } from "../usage-error.ts";
import { dashboardAssets } from "../web/dashboard-assets.ts";
import { openAddress } from "../web/open-address.ts";
import { pageAddress } from "../web/page-address.ts";
import { DEFAULT_FOLDER } from "./serve.ts";

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
  try {
    const page = typed === undefined ? "" : `/evaluations/${(await findEvaluation(store, typed, "view")).id}`;
    const assets = dashboardAssets();
    // Built now, if it has to be: a browser that waits for its first answer looks broken.
    await assets("/index.html");
    return await serveFolder(host, {
      store,
      files: existsSync(join(host.cwd, DEFAULT_FOLDER)) ? [DEFAULT_FOLDER] : [],
      port: flags.port,
      assets,
      onListening: ({ url, token }) => show(host, pageAddress(url, token, page), flags["no-open"]),
    });
  } finally {
    await store.close();
  }
};

async function show(host: Host, address: string, isLinkOnly: boolean): Promise<void> {
  const { platform } = host.process;
  const isOpen = !isLinkOnly && (await openAddress(address, { platform, env: host.env }));
  printWhole(host.stdout, [
    [["✓ ", "green"], [isOpen ? "Your browser opens " : "Open "], [address, "cyan"]],
    [["  It follows what runs here and in other terminals. Ctrl-C ends.", "dim"]],
  ]);
}
