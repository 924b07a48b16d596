import type { RunOneOptions } from "./agent-evaluator.ts";
import { EvaluatorError } from "./domain/evaluator-error.ts";
import { EvaluationId } from "./domain/ids.ts";
import { canonicalJson } from "./domain/json.ts";
import type { LogEntry } from "./domain/log-entry.ts";
import type { Model } from "./domain/model.ts";
import { runIdOf } from "./domain/plan.ts";
import { type Problem, problemReader } from "./domain/problem.ts";
import { checkModelKeys } from "./engine/check-model-keys.ts";
import type { EvaluationOptions } from "./engine/definition.ts";
import { sha256 } from "./engine/digest.ts";
import { executeRun } from "./engine/execute-run.ts";
import { type Definition, readDefinition } from "./engine/read-definition.ts";
import { makeRedaction, redactProblem } from "./engine/redaction.ts";
import { serveTasks } from "./engine/serve-tasks.ts";
import { systemClock } from "./engine/system-clock.ts";
import { results } from "./evaluate-script.ts";
import { InProcessIsolation } from "./isolation/in-process.ts";
import { makeGateway, openHttpGateway } from "./make-gateway.ts";
import { makePrices } from "./make-prices.ts";
import { knownSecrets } from "./providers/known-secrets.ts";

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
