import { randomUUID } from "node:crypto";
import { StartedEvaluation } from "../../api/routes/start-evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { checkOptions } from "../../engine/read-definition.ts";
import { loadDefinition } from "../../load-definition.ts";
import { findEvalFiles } from "../eval-files.ts";
import { EXIT, worseExit } from "../exit-code.ts";
import { findEvaluation } from "../find-evaluation.ts";
import type { Host } from "../host.ts";
import { listenForStop } from "../interruption.ts";
import { openOutputs } from "../output/open-outputs.ts";
import { askedOf, budgetOf } from "../run/merge-options.ts";
import type { RunFlags } from "../run/run-flags.ts";
import { printLines } from "../screen.ts";
import { UsageError } from "../usage-error.ts";
import type { ApiClient } from "./api-client.ts";
import { chosenIds } from "./chosen-ids.ts";
import { openApi } from "./open-reader.ts";
import { remoteReader } from "./remote-reader.ts";
import { resumeRemote } from "./resume-remote.ts";
import { type Watching, watchEvaluation } from "./watch-evaluation.ts";

export interface RemoteRun {
  readonly host: Host;
  readonly flags: RunFlags;
  readonly remote: string;
  readonly words: readonly string[];
}

/** Starts what the files name where an API is, one after another, and shows each until it ends. */
export async function runRemote({ host, flags, remote, words }: RemoteRun): Promise<number> {
  const paths = await findEvalFiles(words, host.cwd);
  if (flags.json && paths.length > 1) {
    throw new UsageError("--json and --remote go together for one file only.", "run");
  }
  using interruption = listenForStop(host.process, () => {});
  const client = await openApi(host, remote, flags.token);
  const reader = remoteReader(client);
  const note: Watching["note"] = (line) => printLines(flags.json ? host.stderr : host.stdout, [line]);
  const outputs = await openOutputs(host, flags, { isStep: true });
  const watching: Watching = { host, flags, reader, interruption, note, outputs };
  if (flags.resume !== undefined) {
    const stored = await findEvaluation(reader, flags.resume, "run");
    const resume = { client, flags, stored, path: paths[0] };
    return resumeRemote(watching, resume).finally(() => outputs.end());
  }
  let code: number = EXIT.done;
  for (const path of paths) {
    if (interruption.signal.aborted) break;
    const id = await start(client, path, flags);
    code = worseExit(code, await watchEvaluation(watching, id, { doneBefore: 0 }));
  }
  await outputs.end();
  return interruption.exitCode() ?? code;
}

async function start(client: ApiClient, path: string, flags: RunFlags): Promise<EvaluationId> {
  const request = await requestOf(path, flags);
  return (await client.post("/evaluations", StartedEvaluation, request, randomUUID())).id;
}

/** The file says which definition is meant; what is run is the one that the other side has. */
async function requestOf(path: string, flags: RunFlags) {
  const { options } = await loadDefinition(path);
  const problemIds = await chosenIds(options, flags);
  return {
    evaluation: checkOptions(options).name,
    ...askedOf(flags),
    ...(problemIds === null ? {} : { problemIds }),
    ...budgetOf(options.budget, flags),
  };
}
