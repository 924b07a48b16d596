import { randomUUID } from "node:crypto";
import * as z from "zod";
import { GrownEvaluation, StartedEvaluation } from "../../api/routes/evaluations.ts";
import { showPath } from "../../bundle/places.ts";
import { EvaluatorError } from "../../domain/errors.ts";
import { EvaluationRecord } from "../../domain/evaluation.ts";
import { type EvaluationId, ProblemId } from "../../domain/ids.ts";
import type { EvaluationOptions } from "../../engine/definition/definition.ts";
import { checkOptions, readDefinition } from "../../engine/definition/read-definition.ts";
import type { GrowRequest } from "../../engine/engine.ts";
import { sha256 } from "../../engine/system.ts";
import { loadDefinition } from "../../local/load-definition.ts";
import { EXIT, UsageError, worseExit } from "../errors.ts";
import { findEvalFiles } from "../files.ts";
import { findEvaluation } from "../find-evaluation.ts";
import type { Host } from "../host.ts";
import { openOutputs } from "../output/outputs.ts";
import { growthLine } from "../pages/next-steps.ts";
import { listenForStop } from "../process.ts";
import { askedOf, budgetOf, choiceOf, growthOf, isGrowing, type RunFlags } from "../run/flags.ts";
import { checkSameEvaluation } from "../run/jobs.ts";
import { printLines } from "../screen.ts";
import type { ApiClient } from "./api-client.ts";
import { openApi } from "./open-reader.ts";
import { remoteReader } from "./reader.ts";
import { type Watching, watchEvaluation } from "./watch.ts";

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

export interface RemoteResume {
  readonly client: ApiClient;
  readonly flags: RunFlags;
  readonly stored: EvaluationRecord;
  /** The evaluation file, if one was named. */
  readonly path: string | undefined;
}

/** Goes on with an evaluation where an API is: it grows where the flags ask for more, else what failed is retried. */
export async function resumeRemote(watching: Watching, resume: RemoteResume): Promise<number> {
  const { client, flags, stored } = resume;
  const grown = isGrowing(flags) ? await grow(resume) : null;
  if (grown === null) {
    const budget = budgetOf(stored.budget ?? undefined, flags);
    await client.post(`/evaluations/${stored.id}/retry`, EvaluationRecord, budget);
    return watchEvaluation(watching, stored.id);
  }
  if (!flags.quiet) watching.note(growthLine({ from: stored.id, ...grown }));
  return watchEvaluation(watching, grown.id, { doneBefore: grown.keptRuns });
}

/** Null when the evaluation has all of it already, which here too is an ordinary resume. */
async function grow(resume: RemoteResume) {
  const { client, stored } = resume;
  const request = await resumeRemoteRequestOf(resume);
  const grown = client.post(`/evaluations/${stored.id}/grow`, GrownEvaluation, request, randomUUID());
  return grown.catch((error: unknown) => {
    if (error instanceof EvaluatorError && error.code === "evaluation.nothing_new") return null;
    throw error;
  });
}

async function resumeRemoteRequestOf({ flags, stored, path }: RemoteResume): Promise<GrowRequest> {
  const problemIds = await problemsOf(flags, stored, path);
  const request = growthOf(flags, stored.budget ?? undefined);
  return problemIds === null ? request : { ...request, problemIds };
}

/** Problems are known by their ids there; any other choice is made among those of the file. */
async function problemsOf(
  flags: RunFlags,
  stored: EvaluationRecord,
  path: string | undefined,
): Promise<ProblemId[] | null> {
  if (path !== undefined) {
    const { options } = await loadDefinition(path);
    checkSameEvaluation("run", showPath(path), checkOptions(options).name, stored);
    return chosenIds(options, flags);
  }
  const isByIdAlone = flags.tag.length === 0 && flags.sample === undefined && flags.limit === undefined;
  if (isByIdAlone) return flags.problem.length === 0 ? null : z.array(ProblemId).parse(flags.problem);
  throw new UsageError(
    "--tag, --sample and --limit choose among the problems of a file; name it too.",
    "run",
  );
}

/** An API knows problems by their ids alone, so any other choice is made here; null when there is none. */
export async function chosenIds(options: EvaluationOptions, flags: RunFlags): Promise<ProblemId[] | null> {
  const choice = choiceOf(flags, null);
  if (Object.keys(choice).length === 0) return null;
  const { problems } = await readDefinition(options, sha256, choice);
  if (problems.length > 0) return problems.map(({ id }) => id);
  throw new UsageError("These flags choose no problem.", "run");
}
