import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Execute } from "../command-table.ts";
import { EXIT } from "../exit-code.ts";
import { printLines } from "../screen.ts";
import { STARTER } from "../starter.ts";
import { UsageError } from "../usage-error.ts";

const DEFAULT_FILE = "evals/first.eval.ts";

/** Writes the starter file and nothing else. */
export const execute: Execute = async (host, words) => {
  const [file = DEFAULT_FILE, extra] = words;
  if (extra !== undefined) throw new UsageError(`init writes one file, got also "${extra}".`, "init");
  const path = resolve(host.cwd, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, STARTER, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    throw new UsageError(
      `${file} exists already and is left as it is. Name another file: init ${OTHER}.`,
      "init",
    );
  });
  printLines(host.stdout, [
    [["✓ ", "green"], [`${file} is written.`]],
    [["  Run it: "], [`${host.commandName} run ${file}`, "cyan"]],
  ]);
  return EXIT.done;
};

const OTHER = "evals/second.eval.ts";
