import { resolve } from "node:path";
import { defineCommand, FLAGS, flagSwitch } from "../command.ts";
import { dashboardAssets } from "../dashboard/assets.ts";
import { openAddress, pageAddress, writeRedirect } from "../dashboard/open.ts";
import { definitionFiles, nothingToStart, serveFolder } from "../dashboard/serve-folder.ts";
import { readEnvFile } from "../files.ts";
import { DEFAULT_STORE, findEvaluation, openStore } from "../store.ts";
import { printWhole } from "../text/screen.ts";

/** Opens the dashboard in the browser, until Ctrl-C. */
export const viewCommand = defineCommand({
  flags: {
    ...FLAGS.port,
    "no-open": { help: "only print the link", check: flagSwitch },
    ...FLAGS.store,
  },
  notes: [
    "Without ID it opens the list; the first letters of an id are enough.",
    "Without --port, the next free port is taken where 4747 is in use.",
    "Evaluations of the folder evals can be started from the page.",
  ],
  takes: [1, "one id"],
  async execute(host, [typed], flags) {
    await readEnvFile(host.cwd, host.process.env);
    await using store = await openStore(host, flags.store);
    await using redirects = new AsyncDisposableStack();
    const openBrowser = async (address: string): Promise<boolean> => {
      const folder = resolve(host.cwd, flags.store ?? DEFAULT_STORE);
      const { url } = redirects.use(await writeRedirect(folder, address));
      return openAddress(url, host.process.platform, host.env);
    };
    const page = typed === undefined ? "" : `/evaluations/${(await findEvaluation(store, typed)).id}`;
    const assets = dashboardAssets();
    // Built now, if it has to be: a browser that waits for its first answer looks broken.
    await assets("/index.html");
    return await serveFolder(host, {
      store,
      findFiles: definitionFiles(host),
      port: flags.port,
      mayMove: true,
      assets,
      onListening: async ({ url, token, definitions }) => {
        const address = pageAddress(url, token, page);
        const isOpen = !flags["no-open"] && (await openBrowser(address));
        printWhole(host.stdout, [
          [["✓ ", "green"], [isOpen ? "Your browser opens " : "Open "], [address, "cyan"]],
          ...nothingToStart(host, definitions),
          [["  It follows what runs here and in other terminals. Ctrl-C ends.", "dim"]],
        ]);
      },
    });
  },
});
