import type { RunOneOptions } from "../agent-evaluator.ts";
import { EvaluatorError } from "../domain/errors.ts";
import { EvaluationId } from "../domain/ids.ts";
import { canonicalJson, givenOnly } from "../domain/json.ts";
import type { Model } from "../domain/model.ts";
import { runIdOf } from "../domain/plan.ts";
import { type Problem, problemReader } from "../domain/problem.ts";
import type { LogEntry } from "../domain/run/log-entry.ts";
import { checkModelKeys } from "../engine/definition/check-models.ts";
import type { EvaluationOptions } from "../engine/definition/definition.ts";
import { type Definition, readDefinition } from "../engine/definition/read-definition.ts";
import { requestedOptions } from "../engine/definition/requests.ts";
import { executeRun } from "../engine/run/execute-run.ts";
import { redactProblem } from "../engine/run/redaction.ts";
import { systemClock } from "../system/clock.ts";
import { sha256 } from "../system/digest.ts";
import { openRunDeps } from "./compose.ts";
import { results } from "./evaluate-script.ts";

/** One pair in this process: what a debugger can step through. */
export async function runOne(
  options: EvaluationOptions,
  choice: RunOneOptions,
  call: number,
): Promise<LogEntry> {
  const models = choice.model === undefined ? options.models : [choice.model];
  const picked = requestedOptions(
    { ...options, models },
    givenOnly({ variants: choice.variant === undefined ? undefined : [choice.variant] }),
  );
  const definition = await readDefinition(picked, sha256);
  const model = firstModel(definition);
  checkModelKeys({ ...options, models: [[model.providerKey, model.model]] });
  const deps = await openRunDeps(definition, { bundle: null });
  const problem = redactProblem(chooseProblem(definition, choice), deps.redaction);
  const runId = runIdOf(definition.name, model, problem, 1, sha256);
  const spec = {
    ...deps,
    evaluationId: EvaluationId.parse("run-one"),
    round: 1,
    limits: definition.limits,
    clock: systemClock,
    cancelled: options.signal ?? new AbortController().signal,
  };
  const { entry } = await executeRun({ index: 0, runId, model, problem, trial: 1 }, spec);
  await deps.close();
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
