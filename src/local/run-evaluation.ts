import type { EvaluationId } from "../domain/ids.ts";
import { checkModelKeys } from "../engine/definition/check-models.ts";
import type { ProblemChoice } from "../engine/definition/choose-problems.ts";
import type { EvaluationOptions } from "../engine/definition/definition.ts";
import { type Definition, readDefinition } from "../engine/definition/read-definition.ts";
import { tellDrift, webhookSender } from "../engine/drift.ts";
import type { EvaluationListener, EvaluationOutcome } from "../engine/engine.ts";
import type { LocalDeps, LocalRequest } from "../engine/local/begin.ts";
import { checkAgain } from "../engine/local/check-again.ts";
import { evaluateLocally } from "../engine/local/local-evaluation.ts";
import { redactProblem } from "../engine/run/redaction.ts";
import { systemClock } from "../system/clock.ts";
import { sha256 } from "../system/digest.ts";
import { type IsolationSetup, openRunDeps } from "./compose.ts";
import { isOwnerAlive, openOwner } from "./owner.ts";
import { describeSource } from "./source.ts";

export interface EvaluationSetup extends LocalRequest, IsolationSetup {
  readonly options: EvaluationOptions;
  readonly choice?: ProblemChoice;
  readonly signal?: AbortSignal;
  readonly listener?: EvaluationListener;
}

/** Puts a local evaluation together and runs it to its end. */
export async function runEvaluation(setup: EvaluationSetup): Promise<EvaluationOutcome> {
  const [definition, source] = await Promise.all([
    readDefinition(setup.options, sha256, setup.choice),
    // A stored evaluation has its own.
    setup.resume === undefined || setup.grow ? describeSource(setup.file) : undefined,
  ]);
  checkModelKeys(definition.options);
  return withDeps(setup, definition, async (opened) => {
    const deps = { ...opened, source };
    // A stored evaluation has its own problems.
    if (setup.resume === undefined) warnOfRepeated(deps);
    const outcome = await evaluateLocally(deps);
    await watchDrift(deps, outcome);
    return outcome;
  });
}

function warnOfRepeated({ definition: { repeated }, listener }: LocalDeps): void {
  const [first] = repeated;
  if (first === undefined) return;
  const which =
    repeated.length === 1
      ? `problems[${first}] repeats an earlier one and is skipped`
      : `${repeated.length} problems repeat earlier ones and are skipped (the first is problems[${first}])`;
  listener.warning?.(`${which}; use \`trials\` to repeat runs, or give equal problems their own ids`);
}

/** Checks the results of a stored evaluation again, with the checker that the definition has now. */
export async function recheckEvaluation(
  setup: EvaluationSetup,
  id: EvaluationId,
): Promise<EvaluationOutcome> {
  const definition = await readDefinition(setup.options, sha256, { limit: 0 });
  return withDeps(setup, definition, (deps) => checkAgain(deps, id));
}

async function withDeps(
  { listener: shown = {}, signal = new AbortController().signal, ...setup }: EvaluationSetup,
  definition: Definition,
  work: (deps: LocalDeps) => Promise<EvaluationOutcome>,
): Promise<EvaluationOutcome> {
  using owner = openOwner();
  const opened = await openRunDeps(definition, { ...setup, listener: shown });
  const { redaction } = opened;
  const warning = (message: string) => shown.warning?.(redaction.kept.text(message));
  if ((definition.gateway || definition.checker.gateway) && definition.isolation === "none")
    warning(NOT_IN_ENVIRONMENT);
  // What a definition's own code put into its problems is known by now.
  const problems = definition.problems.map((problem) => redactProblem(problem, redaction));
  try {
    return await work({
      ...setup,
      ...opened,
      definition: { ...definition, problems },
      fingerprint: setup.bundle?.fingerprint ?? null,
      clock: systemClock,
      random: Math.random,
      signal,
      owner: owner.name,
      isAlive: isOwnerAlive,
      listener: { ...shown, warning },
    });
  } finally {
    await opened.close();
  }
}

const NOT_IN_ENVIRONMENT =
  'with isolation "none" agents share the environment of the evaluator, so `gateway: true` counts only calls through ' +
  "context.gateway; calls that an SDK makes with keys from the environment are not counted";

/** Reports a drop against earlier evaluations; only one that is whole can be compared. */
async function watchDrift(
  { definition: { drift }, store, listener, clock }: LocalDeps,
  { record }: EvaluationOutcome,
): Promise<void> {
  if (drift === undefined || record.status !== "finished") return;
  const { webhook } = drift;
  const senders =
    webhook === undefined
      ? []
      : [webhookSender({ variable: webhook, variables: process.env, sleep: clock.sleep })];
  await tellDrift({ store, drift, senders, warn: (message) => listener.warning?.(message) }, record);
}
