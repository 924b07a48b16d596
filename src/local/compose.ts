import type { DefinitionBundle } from "../bundle/bundle.ts";
import { CHILD_FLAG } from "../child/reentry.ts";
import { serveTasks } from "../child/serve-tasks.ts";
import type { FleetLimits } from "../domain/fleet-limit.ts";
import type { Definition } from "../engine/definition/read-definition.ts";
import type { EvaluationListener } from "../engine/engine.ts";
import { makeRedaction } from "../engine/run/redaction.ts";
import type { RunDeps } from "../engine/run/run-session.ts";
import { Gateway } from "../gateway/gateway.ts";
import { InProcessIsolation } from "../isolation/in-process.ts";
import { ProcessIsolation } from "../isolation/parent/process-isolation.ts";
import { builtInProviders } from "../providers/built-in.ts";
import { withBaseUrls } from "../providers/model-options.ts";
import { priceList } from "../providers/prices.ts";
import { knownSecrets } from "../providers/secrets.ts";
import type { Variables } from "../providers/table.ts";
import { systemClock } from "../system/clock.ts";
import { reaperFile } from "./own-files.ts";

export interface IsolationSetup {
  /** Null runs everything in this process. */
  readonly bundle: DefinitionBundle | null;
  /** Says to a child which evaluation of the bundle it serves; by default the file's default export. */
  readonly childArgs?: readonly string[];
}

interface OpenOptions extends IsolationSetup {
  readonly listener?: EvaluationListener;
  readonly variables?: Variables;
  readonly fleet?: FleetLimits;
}

export interface OpenedDeps extends RunDeps {
  /** Ends everything that was started. */
  close(): Promise<void>;
}

/** Puts together what the runs of a definition need on this machine. */
export async function openRunDeps(
  definition: Definition,
  { bundle, childArgs = ["file"], listener = {}, variables = process.env, fleet }: OpenOptions,
): Promise<OpenedDeps> {
  const { env, scripts, prices, providerFactory, permissions, trusted, limits, concurrency } = definition;
  const { checker, modelOptions } = definition;
  const modelVariables = withBaseUrls(modelOptions, variables);
  const redaction = makeRedaction(knownSecrets(variables, env, checker.env));
  // The one place through which the models of the definition are called.
  const gateway = new Gateway({
    factory: builtInProviders({ clock: systemClock, scripts, variables: modelVariables }),
    clock: systemClock,
    random: Math.random,
    onLimit: (providerKey, calls) => listener.limited?.(providerKey, calls),
    fleet,
  });
  const needsHttp = definition.gateway || checker.gateway;
  const tokens = needsHttp ? await openHttpGateway(gateway, modelVariables) : undefined;
  const passes = {
    runs: definition.gateway ? tokens?.issuePass : undefined,
    checks: checker.gateway ? tokens?.issuePass : undefined,
  };
  const isolation =
    definition.isolation === "none" || bundle === null
      ? new InProcessIsolation(serveTasks(definition.options), passes)
      : new ProcessIsolation({
          kind: definition.isolation,
          concurrency,
          bundle,
          childArgs: [CHILD_FLAG, ...childArgs],
          means: {
            run: { access: { ...permissions, trusted }, allowedVariables: env, issuePass: passes.runs },
            check: {
              access: { ...checker.permissions, trusted: checker.trusted },
              allowedVariables: checker.env,
              issuePass: passes.checks,
            },
          },
          limits,
          variables,
          cwd: process.cwd(),
          reaperFile: reaperFile(),
          mapStack: bundle.mapStack,
          redactor: redaction.kept,
        });
  return {
    isolation,
    gateway,
    tokens,
    redaction,
    prices: priceList({ own: prices, now: () => systemClock.now(), variables: modelVariables }),
    modelOptions,
    hasOwnProviders: providerFactory !== undefined,
    async close() {
      await isolation.close();
      await tokens?.close();
    },
  };
}

/** Loaded only for agents that bring their own SDK. */
async function openHttpGateway(gateway: Gateway, variables: Variables) {
  const { HttpGateway } = await import("../gateway/http/server.ts");
  return HttpGateway.open({ gateway, clock: systemClock, variables });
}
