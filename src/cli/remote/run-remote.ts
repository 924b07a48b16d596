import { randomUUID } from "node:crypto";
import { StartedEvaluation } from "../../api/routes/start-evaluation.ts";
import { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { modelKey } from "../../domain/model.ts";
import type { EvaluationOptions } from "../../engine/definition.ts";
import { sha256 } from "../../engine/digest.ts";
import { checkOptions, readDefinition } from "../../engine/read-definition.ts";
import { loadDefinition } from "../../run-evaluation.ts";
import { findEvalFiles } from "../eval-files.ts";
import { EXIT, worseExit } from "../exit-code.ts";
import { findEvaluation } from "../find-evaluation.ts";
import type { Host } from "../host.ts";
import { listenForStop } from "../interruption.ts";
import { openOutputs } from "../output/open-outputs.ts";
import { budgetOf, choiceOf } from "../run/merge-options.ts";
import type { RunFlags } from "../run/run-flags.ts";
import { printLines } from "../screen.ts";
import { UsageError } from "../usage-error.ts";
import type { ApiClient } from "./api-client.ts";
import { openApi } from "./open-reader.ts";
import { remoteReader } from "./remote-reader.ts";
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
    const { id, budget } = await findEvaluation(reader, flags.resume, "run");
    await client.post(`/evaluations/${id}/retry`, EvaluationRecord, budgetOf(budget ?? undefined, flags));
    return watchEvaluation(watching, id).finally(() => outputs.end());
  }
  let code: number = EXIT.done;
  for (const path of paths) {
    if (interruption.signal.aborted) break;
    const id = await start(client, path, flags);
    code = worseExit(code, await watchEvaluation(watching, id, { isNew: true }));
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
    ...(flags.model.length === 0 ? {} : { models: flags.model.map(modelKey) }),
    ...(problemIds === null ? {} : { problemIds }),
    ...(flags.trials === undefined ? {} : { trials: flags.trials }),
    ...(flags.concurrency === undefined ? {} : { concurrency: flags.concurrency }),
    ...(flags.timeout === undefined ? {} : { limits: { timeoutSeconds: flags.timeout } }),
    ...budgetOf(options.budget, flags),
  };
}

/** An API knows problems by their ids alone, so any other choice is made here. */
async function chosenIds(options: EvaluationOptions, flags: RunFlags): Promise<readonly string[] | null> {
  const choice = choiceOf(flags, null);
  if (Object.keys(choice).length === 0) return null;
  const { problems } = await readDefinition(options, sha256, choice);
  if (problems.length > 0) return problems.map(({ id }) => id);
  throw new UsageError("These flags choose no problem.", "run");
}
