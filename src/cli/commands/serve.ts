import * as z from "zod";
import { plural } from "../../domain/format.ts";
import type { Execute } from "../command-table.ts";
import { dashboardAssets } from "../dashboard/assets.ts";
import { pageAddress } from "../dashboard/open.ts";
import { readEnvFile } from "../files.ts";
import { PortFlag, readFlags } from "../flags.ts";
import type { Host } from "../host.ts";
import { printWhole } from "../screen.ts";
import { nothingServed, type Served, servedFiles, serveFolder } from "../serve/serve-folder.ts";
import { openStore } from "../store.ts";
import type { Line } from "../text/line.ts";

export const ServeFlags = z.strictObject({
  port: PortFlag,
  store: z.string().min(1, "a folder").optional(),
});

/** The HTTP API and the dashboard over this folder's evaluations and store, until Ctrl-C. */
export const execute: Execute = async (host, words, raw) => {
  const flags = readFlags("serve", ServeFlags, raw);
  await readEnvFile(host.cwd, host.process.env);
  const findFiles = servedFiles(host, words);
  await findFiles();
  const store = await openStore(host, flags.store);
  try {
    return await serveFolder(host, {
      store,
      findFiles,
      port: flags.port,
      assets: dashboardAssets(),
      onListening: (served) => printWhole(host.stdout, greeting(host, served)),
    });
  } finally {
    await store.close();
  }
};

const greeting = (host: Host, { url, token, definitions }: Served): Line[] => [
  [["✓ ", "green"], [`${plural(definitions, "evaluation")} served at `], [url, "cyan"]],
  [["  token "], [token, "bold"]],
  [
    ["  try   ", "dim"],
    [`curl -H "Authorization: Bearer ${token}" ${url}/definitions`, "cyan"],
  ],
  [
    ["  see   ", "dim"],
    [pageAddress(url, token), "cyan"],
  ],
  ...nothingServed(host, definitions),
  [["  Ctrl-C ends.", "dim"]],
];
