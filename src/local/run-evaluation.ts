import type { EvaluationId } from "../domain/ids.ts";
import type { ProblemChoice } from "../engine/definition/choose-problems.ts";
import type { EvaluationOptions } from "../engine/definition/definition.ts";
import { checkModelKeys } from "../engine/definition/model-keys.ts";
import { type Definition, readDefinition } from "../engine/definition/read-definition.ts";
import { tellDrift, webhookSender } from "../engine/drift.ts";
import { checkAgain } from "../engine/local/check-again.ts";
import {
  type EvaluationListener,
  type EvaluationOutcome,
  evaluateLocally,
  type LocalEvaluation,
} from "../engine/local/local-evaluation.ts";
import { isOwnerAlive, thisOwner } from "../engine/local/owner.ts";
import { makeRedaction, type Redaction, redactProblem } from "../engine/run/redaction.ts";
import { knownSecrets } from "../providers/secrets.ts";
import type { Store } from "../store/store.ts";
import { systemClock } from "../system/clock.ts";
import { sha256 } from "../system/digest.ts";
import { type IsolationSetup, makeGateway, makeIsolation, makePrices, openHttpGateway } from "./compose.ts";

export interface EvaluationSetup extends IsolationSetup {
  readonly options: EvaluationOptions;
  readonly file: string | null;
  readonly store: Store;
  readonly resume?: EvaluationId;
  /** With `resume`: runs that failed get another chance too, in a new round. */
  readonly retryFailed?: boolean;
  /** With `resume`: what the definition has beyond the stored plan is run too, in an evaluation that takes over the rest. */
  readonly grow?: boolean;
  /** With `grow`: a definition that has nothing more is refused instead of resumed. */
  readonly mustGrow?: boolean;
  /** The id of a new evaluation; without one it is made up. */
  readonly id?: EvaluationId;
  readonly choice?: ProblemChoice;
  readonly signal?: AbortSignal;
  readonly listener?: EvaluationListener;
}

/** Puts a local evaluation together and runs it to its end. */
export async function runEvaluation(setup: EvaluationSetup): Promise<EvaluationOutcome> {
  const definition = await readDefinition(setup.options, sha256, setup.choice);
  checkModelKeys(definition.options);
  return withParts(setup, definition, async (input) => {
    const outcome = await evaluateLocally(input);
    await watchDrift(input, outcome);
    return outcome;
  });
}

/** Checks the results of a stored evaluation again, with the checker that the definition has now. */
export async function checkEvaluation(setup: EvaluationSetup, id: EvaluationId): Promise<EvaluationOutcome> {
  const definition = await readDefinition(setup.options, sha256, { limit: 0 });
  return withParts(setup, definition, (input) => checkAgain(input, id));
}

async function withParts(
  setup: EvaluationSetup,
  read: Definition,
  work: (input: LocalEvaluation) => Promise<EvaluationOutcome>,
): Promise<EvaluationOutcome> {
  const redaction = makeRedaction(knownSecrets(process.env, read.env));
  const definition = withoutSecrets(read, redaction);
  const listener = redactedListener(setup.listener ?? {}, redaction);
  const gateway = makeGateway(definition, listener);
  const httpGateway = await openHttpGateway(definition, gateway);
  if (httpGateway !== undefined && definition.isolation === "none") listener.warning?.(NOT_IN_ENVIRONMENT);
  const isolation = makeIsolation(definition, setup, redaction, httpGateway?.issuePass);
  try {
    return await work({
      definition,
      resume: setup.resume ?? null,
      retryFailed: setup.retryFailed,
      grow: setup.grow,
      mustGrow: setup.mustGrow,
      id: setup.id,
      file: setup.file,
      fingerprint: setup.bundle?.fingerprint ?? null,
      store: setup.store,
      isolation,
      gateway,
      tokens: httpGateway,
      redaction,
      prices: makePrices(definition),
      clock: systemClock,
      random: Math.random,
      signal: setup.signal ?? new AbortController().signal,
      owner: thisOwner(),
      isAlive: isOwnerAlive,
      listener,
    });
  } finally {
    await isolation.close();
    await httpGateway?.close();
  }
}

/** What a definition's own code put into its problems is known by now. */
const withoutSecrets = (definition: Definition, redaction: Redaction): Definition => ({
  ...definition,
  problems: definition.problems.map((problem) => redactProblem(problem, redaction)),
});

const redactedListener = (listener: EvaluationListener, { kept }: Redaction): EvaluationListener => ({
  ...listener,
  warning: (message) => listener.warning?.(kept.text(message)),
});

const NOT_IN_ENVIRONMENT =
  'with isolation "none" the environment is that of the evaluator, so `gateway: true` reaches only agents that use ' +
  "context.gateway; what an SDK calls with the keys of the environment is not counted";

/** Tells of a drop against earlier evaluations; only one that is whole can be compared. */
async function watchDrift(
  { definition: { drift }, store, listener }: LocalEvaluation,
  { record }: EvaluationOutcome,
): Promise<void> {
  if (drift === undefined || record.status !== "finished") return;
  const { webhook } = drift;
  const { sleep } = systemClock;
  const senders =
    webhook === undefined ? [] : [webhookSender({ variable: webhook, variables: process.env, sleep })];
  await tellDrift({ store, drift, senders, warn: (message) => listener.warning?.(message) }, record);
}
