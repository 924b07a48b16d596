import { plural } from "../../domain/format.ts";
import { defineCommand, FLAGS } from "../command.ts";
import { dashboardAssets } from "../dashboard/assets.ts";
import { pageAddress } from "../dashboard/open.ts";
import { definitionFiles, nothingToStart, serveFolder } from "../dashboard/serve-folder.ts";
import { readEnvFile } from "../files.ts";
import { openStore } from "../store.ts";
import { printWhole } from "../text/screen.ts";

/** Serves the HTTP API and the dashboard over this folder's evaluations and store, until Ctrl-C. */
export const serveCommand = defineCommand({
  flags: { ...FLAGS.port, ...FLAGS.store },
  notes: [
    "FILE is as for run; without one it is the folder evals.",
    "The token is AGENT_EVALUATOR_TOKEN, or a new one each time.",
  ],
  async execute(host, words, flags) {
    await readEnvFile(host.cwd, host.process.env);
    const findFiles = definitionFiles(host, words);
    await findFiles();
    await using store = await openStore(host, flags.store);
    return await serveFolder(host, {
      store,
      findFiles,
      port: flags.port,
      assets: dashboardAssets(),
      onListening: ({ url, token, definitions }) =>
        printWhole(host.stdout, [
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
          ...nothingToStart(host, definitions),
          [["  Ctrl-C ends.", "dim"]],
        ]),
    });
  },
});
