import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { EvaluatorError } from "./domain/evaluator-error.ts";
import type { FleetLimits } from "./domain/fleet-limit.ts";
import type { EvaluationId } from "./domain/ids.ts";
import type { PriceList } from "./domain/price.ts";
import { checkAgain } from "./engine/check-again.ts";
import { checkModelKeys } from "./engine/check-model-keys.ts";
import type { ProblemChoice } from "./engine/choose-problems.ts";
import type { EvaluationOptions } from "./engine/definition.ts";
import { sha256 } from "./engine/digest.ts";
import { isOwnerAlive, thisOwner } from "./engine/evaluation-owner.ts";
import {
  type EvaluationListener,
  type EvaluationOutcome,
  evaluateLocally,
  type LocalEvaluation,
} from "./engine/local-evaluation.ts";
import { type Definition, readDefinition } from "./engine/read-definition.ts";
import { makeRedaction, type Redaction, redactProblem } from "./engine/redaction.ts";
import { serveTasks } from "./engine/serve-tasks.ts";
import { systemClock } from "./engine/system-clock.ts";
import { tellDrift } from "./engine/tell-drift.ts";
import { webhookSender } from "./engine/webhook-sender.ts";
import { bundleDefinition, type DefinitionBundle } from "./isolation/bundle.ts";
import type { Isolation } from "./isolation/contract.ts";
import { InProcessIsolation } from "./isolation/in-process.ts";
import { ProcessIsolation } from "./isolation/process-isolation.ts";
import { CHILD_FLAG, loadWithoutEvaluating } from "./isolation/reentry.ts";
import { showPath } from "./isolation/show-path.ts";
import { childModule, reaperFile } from "./own-files.ts";
import { builtInProviders } from "./providers/factory.ts";
import { Gateway } from "./providers/gateway.ts";
import type { HttpGateway } from "./providers/http-gateway.ts";
import type { Variables } from "./providers/keys.ts";
import { knownSecrets } from "./providers/known-secrets.ts";
import { priceList } from "./providers/price-list.ts";
import type { Store } from "./store/contract.ts";

export interface EvaluationSetup {
  readonly options: EvaluationOptions;
  /** Null only with isolation "none". */
  readonly bundle: DefinitionBundle | null;
  /** What tells a child which evaluation of the bundle it serves; by default the file's default export. */
  readonly childArgs?: readonly string[];
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

/** Only an evaluation that is whole can be compared. */
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

/** What a definition's own code put into its problems is known by now. */
const withoutSecrets = (definition: Definition, redaction: Redaction): Definition => ({
  ...definition,
  problems: definition.problems.map((problem) => redactProblem(problem, redaction)),
});

const redactedListener = (listener: EvaluationListener, { kept }: Redaction): EvaluationListener => ({
  ...listener,
  warning: (message) => listener.warning?.(kept.text(message)),
});

export interface LoadedDefinition {
  readonly options: EvaluationOptions;
  readonly bundle: DefinitionBundle;
}

/** Bundles an evaluation file and loads the definition that is its default export; `again` evaluates the same code anew. */
export async function loadDefinition(file: string, again = 0): Promise<LoadedDefinition> {
  const { bundle, user } = await loadFile(file, again);
  const { default: options } = user;
  if (typeof options === "object" && options !== null)
    return { options: options as EvaluationOptions, bundle };
  throw new EvaluatorError(
    "definition.no_default",
    `${showPath(file)} has no evaluation as its default export; write \`export default defineEvaluation({ … })\``,
  );
}

export interface LoadedFile {
  readonly bundle: DefinitionBundle;
  /** All that the file exports. */
  readonly user: Readonly<Record<string, unknown>>;
}

export async function loadFile(file: string, again = 0): Promise<LoadedFile> {
  const bundle = await bundleDefinition(file, { childModule: childModule() });
  // The address alone makes a module anew, but not a script.
  if (again > 0) delete createRequire(bundle.file).cache[bundle.file];
  const path = showPath(file);
  const refusal = new EvaluatorError(
    "definition.script",
    `${path} is a script that evaluates by itself; start it with node ${path}`,
  );
  try {
    const load = () =>
      import(`${pathToFileURL(bundle.file).href}${again === 0 ? "" : `?again=${again}`}`) as Promise<
        Pick<LoadedFile, "user">
      >;
    return { bundle, user: (await loadWithoutEvaluating(load, refusal)).user };
  } catch (error) {
    if (error === refusal) throw error;
    const stack = error instanceof Error ? bundle.mapStack(error.stack ?? error.message) : String(error);
    throw new EvaluatorError("definition.threw", `${path} threw while it was loaded:\n${stack}`, {
      cause: error,
    });
  }
}

export const makeGateway = (
  { scripts }: Definition,
  listener: EvaluationListener = {},
  variables: Variables = process.env,
  fleet?: FleetLimits,
): Gateway =>
  new Gateway({
    factory: builtInProviders({ clock: systemClock, scripts, variables }),
    clock: systemClock,
    random: Math.random,
    onLimit: (providerKey, calls) => listener.limited?.(providerKey, calls),
    fleet,
  });

export const makePrices = ({ prices }: Definition): PriceList =>
  priceList({ own: prices, now: () => systemClock.now() });

/** For agents that bring their own SDK; only a definition that asks for it gets a server. */
export async function openHttpGateway(
  definition: Definition,
  gateway: Gateway,
  variables: Variables = process.env,
): Promise<HttpGateway | undefined> {
  if (!definition.gateway) return undefined;
  const { HttpGateway } = await import("./providers/http-gateway.ts");
  return HttpGateway.open({ gateway, clock: systemClock, variables });
}

const NOT_IN_ENVIRONMENT =
  'with isolation "none" the environment is that of the evaluator, so `gateway: true` reaches only agents that use ' +
  "context.gateway; what an SDK calls with the keys of the environment is not counted";

function makeIsolation(
  definition: Definition,
  { bundle, childArgs }: EvaluationSetup,
  { kept }: Redaction,
  issuePass: HttpGateway["issuePass"] | undefined,
): Isolation {
  if (definition.isolation === "none" || bundle === null) {
    return new InProcessIsolation(serveTasks(definition.options), issuePass);
  }
  return new ProcessIsolation({
    ...processSpec(definition, bundle, childArgs ?? ["file"]),
    kind: definition.isolation,
    concurrency: definition.concurrency,
    variables: process.env,
    reaperFile: reaperFile(),
    redactor: kept,
    issuePass,
  });
}

/** What the definition itself says of the processes of its runs. */
export const processSpec = (
  { permissions, trusted, limits, env }: Definition,
  bundle: DefinitionBundle,
  childArgs: readonly string[],
) => ({
  bundle,
  childArgs: [CHILD_FLAG, ...childArgs],
  access: { ...permissions, trusted },
  limits,
  allowedVariables: env,
  cwd: process.cwd(),
  mapStack: bundle.mapStack,
});
