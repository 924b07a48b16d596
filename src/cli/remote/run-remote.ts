import { randomUUID } from "node:crypto";
import * as z from "zod";
import { GrownEvaluation, StartedEvaluation } from "../../api/answers.ts";
import { showPath } from "../../bundle/places.ts";
import { EvaluatorError } from "../../domain/errors.ts";
import { EvaluationRecord } from "../../domain/evaluation.ts";
import { ProblemId } from "../../domain/ids.ts";
import type { EvaluationOptions } from "../../engine/definition/definition.ts";
import { checkOptions, readDefinition } from "../../engine/definition/read-definition.ts";
import { loadDefinitionApart } from "../../local/definition-apart.ts";
import { sha256 } from "../../system/digest.ts";
import { EXIT, listenForStop, UsageError, worseExit } from "../exit.ts";
import { findEvalFiles } from "../files.ts";
import type { CliHost } from "../host.ts";
import { openOutputs } from "../output/outputs.ts";
import { growthLine } from "../pages/next-steps.ts";
import { noteOn } from "../reporters/choose-reporter.ts";
import { printAll } from "../run/finish.ts";
import { budgetOf, choiceOf, growthOf, isGrowing, type RunFlags, requestOf } from "../run/flags.ts";
import { checkSameEvaluation } from "../run/jobs.ts";
import { findEvaluation } from "../store.ts";
import { type ApiClient, openApi, remoteReader } from "./reader.ts";
import { type WatchSession, watchEvaluation } from "./watch-evaluation.ts";

interface RemoteSession extends WatchSession {
  readonly flags: RunFlags;
  readonly client: ApiClient;
}

interface RemoteRunOptions {
  readonly host: CliHost;
  readonly flags: RunFlags;
  readonly remote: string;
  readonly words: readonly string[];
}

/** Starts the evaluations that the files name at an API, one after another, and shows each until it ends. */
export async function runRemote({ host, flags, remote, words }: RemoteRunOptions): Promise<number> {
  const paths = await findEvalFiles(words, host.cwd);
  if (flags.json && paths.length > 1) {
    throw new UsageError("--json and --remote go together for one file only.");
  }
  using interruption = listenForStop(host.process, () => {});
  const client = openApi(host, remote, flags.token);
  const reader = remoteReader(client);
  const note = noteOn(host, flags.json);
  const outputs = await openOutputs(host, flags, { isStep: true });
  const all = paths.length > 1 ? [] : null;
  const session: RemoteSession = { host, flags, reader, interruption, note, outputs, client, all };
  if (flags.resume !== undefined) {
    const stored = await findEvaluation(reader, flags.resume);
    return resumeRemote(session, stored, paths[0]).finally(() => outputs.end());
  }
  let code: number = EXIT.done;
  for (const path of paths) {
    if (interruption.signal.aborted) break;
    const request = await startRequest(path, flags);
    const { id } = await client.post("/evaluations", StartedEvaluation, request, randomUUID());
    code = worseExit(code, await watchEvaluation(session, id, 0));
  }
  printAll(session, all);
  await outputs.end();
  return interruption.exitCode() ?? code;
}

/** Names the definition of the file; the one that runs is that of the API. */
async function startRequest(path: string, flags: RunFlags) {
  const { options } = await loadDefinitionApart(path);
  return {
    evaluation: checkOptions(options).name,
    ...requestOf(flags),
    ...(await chosenProblems(options, flags)),
    ...budgetOf(options.budget, flags),
  };
}

/** Resumes an evaluation at an API: it grows where the flags ask for more, else what failed is retried. */
async function resumeRemote(
  session: RemoteSession,
  stored: EvaluationRecord,
  path: string | undefined,
): Promise<number> {
  const { client, flags } = session;
  const grown = isGrowing(flags) ? await grow(session, stored, path) : null;
  if (grown === null) {
    const budget = budgetOf(stored.budget ?? undefined, flags);
    await client.post(`/evaluations/${stored.id}/retry`, EvaluationRecord, budget);
    return watchEvaluation(session, stored.id);
  }
  if (!flags.quiet) session.note(growthLine({ from: stored.id, ...grown }));
  return watchEvaluation(session, grown.id, grown.keptRuns);
}

/** Null when the evaluation has all of it already, which here too is an ordinary resume. */
async function grow({ client, flags }: RemoteSession, stored: EvaluationRecord, path: string | undefined) {
  const request = {
    ...growthOf(flags, stored.budget ?? undefined),
    ...(await addedProblems(flags, stored, path)),
  };
  const grown = client.post(`/evaluations/${stored.id}/grow`, GrownEvaluation, request, randomUUID());
  return grown.catch((error: unknown) => {
    if (error instanceof EvaluatorError && error.code === "evaluation.nothing_new") return null;
    throw error;
  });
}

type ProblemRequest = { readonly problemIds?: ProblemId[] };

/** Names problems by id, as the API knows them; any other choice is made among those of the file. */
async function addedProblems(
  flags: RunFlags,
  stored: EvaluationRecord,
  path: string | undefined,
): Promise<ProblemRequest> {
  if (path !== undefined) {
    const { options } = await loadDefinitionApart(path);
    checkSameEvaluation(showPath(path), checkOptions(options).name, stored);
    return chosenProblems(options, flags);
  }
  if (flags.tag.length > 0 || flags.sample !== undefined || flags.limit !== undefined) {
    throw new UsageError("--tag, --sample and --limit choose among the problems of a file; name it too.");
  }
  return flags.problem.length === 0 ? {} : { problemIds: z.array(ProblemId).parse(flags.problem) };
}

async function chosenProblems(options: EvaluationOptions, flags: RunFlags): Promise<ProblemRequest> {
  const choice = choiceOf(flags, null);
  if (Object.keys(choice).length === 0) return {};
  const { problems } = await readDefinition(options, sha256, choice);
  if (problems.length > 0) return { problemIds: problems.map(({ id }) => id) };
  throw new UsageError("These flags choose no problem.");
}
