import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { defineCommand, flagSwitch } from "../command.ts";
import { EXIT, UsageError } from "../exit.ts";
import {
  cloudLines,
  FIRST_EVALUATION,
  FIRST_FILE,
  writeCloud,
  writeNew,
  writeProjectFiles,
} from "../init-files.ts";
import { type Line, printLines, printWhole } from "../text/screen.ts";

/** Writes the starter file and nothing else, or what deploys a project. */
export const initCommand = defineCommand({
  flags: {
    cloud: { help: "write what deploys the folder evals to your AWS account", check: flagSwitch },
  },
  notes: [
    `FILE is ${FIRST_FILE} unless given; an existing file is not overwritten.`,
    "It adds a tsconfig.json where there is none, and a script evals to package.json.",
    "--cloud writes sst.config.ts, stacks, functions and evals/index.ts for SST.",
  ],
  takes: [1, "one file"],
  async execute(host, [given], { cloud }) {
    if (cloud) {
      if (given !== undefined) {
        throw new UsageError(`init --cloud names its files itself, got also "${given}".`);
      }
      const isInstalled = existsSync(join(host.cwd, "node_modules/agent-evaluator"));
      printWhole(host.stdout, cloudLines(await writeCloud(host.cwd), isInstalled));
      return EXIT.done;
    }
    const file = given ?? FIRST_FILE;
    if ((await writeNew(resolve(host.cwd, file), FIRST_EVALUATION)) === "already-there") {
      throw new UsageError(
        `${file} already exists, not overwritten. Name another file: init evals/second.eval.ts.`,
      );
    }
    const isUsual = !relative("evals", file).startsWith("..");
    const more = await writeProjectFiles(host.cwd, isUsual ? "evals" : file);
    printLines(host.stdout, [
      [["✓ ", "green"], [`${file} is written.`]],
      ...more.map((what): Line => [["✓ ", "green"], [`${what} is written.`]]),
      [["  Run it: "], [`${host.commandName} run ${file}`, "cyan"]],
    ]);
    return EXIT.done;
  },
});
