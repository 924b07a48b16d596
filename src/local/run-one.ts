import type { RunOneOptions } from "../agent-evaluator.ts";
import { serveTasks } from "../child/serve-tasks.ts";
import { EvaluatorError } from "../domain/errors.ts";
import { EvaluationId } from "../domain/ids.ts";
import { canonicalJson } from "../domain/json.ts";
import type { Model } from "../domain/model.ts";
import { runIdOf } from "../domain/plan.ts";
import { type Problem, problemReader } from "../domain/problem.ts";
import type { LogEntry } from "../domain/run/log-entry.ts";
import type { EvaluationOptions } from "../engine/definition/definition.ts";
import { checkModelKeys } from "../engine/definition/model-keys.ts";
import { type Definition, readDefinition } from "../engine/definition/read-definition.ts";
import { executeRun } from "../engine/run/execute-run.ts";
import { makeRedaction, redactProblem } from "../engine/run/redaction.ts";
import { InProcessIsolation } from "../isolation/in-process.ts";
import { knownSecrets } from "../providers/secrets.ts";
import { systemClock } from "../system/clock.ts";
import { sha256 } from "../system/digest.ts";
import { makeGateway, makePrices, openHttpGateway } from "./compose.ts";
import { results } from "./evaluate-script.ts";

/** One pair in this process: what a debugger can step through. */
export async function runOne(
  options: EvaluationOptions,
  choice: RunOneOptions,
  call: number,
): Promise<LogEntry> {
  const models = choice.model === undefined ? options.models : [choice.model];
  const definition = await readDefinition({ ...options, models }, sha256);
  const model = firstModel(definition);
  checkModelKeys({ ...options, models: [[model.providerKey, model.model]] });
  const redaction = makeRedaction(knownSecrets(process.env, definition.env));
  const problem = redactProblem(chooseProblem(definition, choice), redaction);
  const run = {
    index: 0,
    runId: runIdOf(definition.name, model, problem, 1, sha256),
    model,
    problem,
    trial: 1,
  };
  const gateway = makeGateway(definition);
  const httpGateway = await openHttpGateway(definition, gateway);
  const { entry } = await executeRun(run, {
    evaluationId: EvaluationId.parse("run-one"),
    round: 1,
    limits: definition.limits,
    isolation: new InProcessIsolation(serveTasks(definition.options), httpGateway?.issuePass),
    gateway,
    tokens: httpGateway,
    redaction,
    prices: makePrices(definition),
    clock: systemClock,
    cancelled: options.signal ?? new AbortController().signal,
    hasOwnProviders: definition.providerFactory !== undefined,
  });
  await httpGateway?.close();
  results[call] = entry;
  return entry;
}

function firstModel({ models: [first] }: Definition): Model {
  if (first !== undefined) return first;
  throw new EvaluatorError("options.invalid", "there is no model to run: `models` is empty");
}

function chooseProblem({ problems }: Definition, { problem, seed }: RunOneOptions): Problem {
  if (problem === undefined) return pickRandom(problems, seed);
  const byId = problems.find(({ id }) => id === problem);
  if (byId !== undefined) return byId;
  const read = problemReader(sha256)(problem);
  if (read.kind === "refused")
    throw new EvaluatorError("options.invalid", `problem.${read.path}: ${read.why}`);
  // The bare problem finds its expected value in the list.
  return (
    problems.find((known) => canonicalJson(known.problem) === canonicalJson(read.problem.problem)) ??
    read.problem
  );
}

function pickRandom(problems: readonly Problem[], seed: number | undefined): Problem {
  const share =
    seed === undefined ? Math.random() : Number.parseInt(sha256(String(seed)).slice(0, 8), 16) / 2 ** 32;
  const picked = problems[Math.floor(share * problems.length)];
  if (picked !== undefined) return picked;
  throw new EvaluatorError("options.invalid", "there is no problem to run: `problems` is empty");
}
