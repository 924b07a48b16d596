import { join } from "node:path";
import { evalFilesIn, findEvalFiles } from "../eval-files.ts";
import type { Host } from "../host.ts";
import type { Line } from "../text/line.ts";

const DEFAULT_FOLDER = "evals";

/** Finds what the words name, or else the folder evals has, as it is whenever somebody asks. */
export const servedFiles =
  ({ cwd }: Host, words: readonly string[] = []) =>
  (): Promise<string[]> =>
    words.length === 0 ? evalFilesIn(join(cwd, DEFAULT_FOLDER)) : findEvalFiles(words, cwd);

/** What to do where there is nothing to start. */
export const nothingServed = (host: Host, definitions: number): Line[] =>
  definitions > 0
    ? []
    : [
        [
          [`  No evaluation in ${DEFAULT_FOLDER} can be started yet. `, "yellow"],
          [`${host.commandName} init`, "cyan"],
          [" writes one, which is found at once."],
        ],
      ];
