import { Limits } from "../domain/limits.ts";
import type { LogEntry } from "../domain/run/log-entry.ts";
import type { RunAnswer } from "../engine/cloud/events.ts";
import { runInCloud } from "../engine/cloud/run-in-cloud.ts";
import { readDefinition } from "../engine/definition/read-definition.ts";
import { ProcessIsolation } from "../isolation/parent/process-isolation.ts";
import { allProcesses, endStrangers } from "../isolation/parent/processes.ts";
import { type OpenedDeps, openRunDeps } from "../local/compose.ts";
import type { Variables } from "../providers/table.ts";
import type { Store } from "../store/store.ts";
import { systemClock } from "../system/clock.ts";
import { sha256 } from "../system/digest.ts";
import { MadeOnce, type OpenDefinitions } from "./definitions.ts";

interface RunnerDeps {
  readonly definitions: OpenDefinitions;
  readonly store: Store;
  readonly variables: Variables;
  readonly onEntry: (entry: LogEntry) => void;
  /** The processes that were there before, on a machine that is ours alone; null where others work too. */
  readonly atFirst: ReadonlySet<number> | null;
}

/** Opens each deployed definition once per environment; its runs are always processes of their own. */
export class DeployedRunner {
  readonly #input: RunnerDeps;
  readonly #opened = new MadeOnce<OpenedDeps>();
  readonly #deps: OpenedDeps[] = [];

  constructor(input: RunnerDeps) {
    this.#input = input;
  }

  /** One invocation; before it answers, whatever the run left behind is ended. */
  async run(event: unknown, remainingMs: () => number): Promise<RunAnswer> {
    const { store, onEntry, atFirst } = this.#input;
    try {
      const parts = { store, clock: systemClock, open: this.open, onEntry };
      return await runInCloud(parts, event, remainingMs);
    } finally {
      if (atFirst !== null)
        endStrangers(
          new Set([...atFirst, ...this.#isolations().flatMap((isolation) => isolation.pids())]),
          allProcesses,
        );
    }
  }

  /** With a single definition it is known which process the first run will need. */
  async warmUp(): Promise<void> {
    const [only, ...others] = this.#input.definitions.names;
    if (only === undefined || others.length > 0) return;
    const { options } = await this.#input.definitions.describe(only);
    await this.open(only, Limits.parse(options.limits ?? {}));
    for (const isolation of this.#isolations()) isolation.warmUp();
  }

  /** Processes are started with their limits, so that each amount of memory has processes of its own. */
  readonly open = (name: string, limits: Limits): Promise<OpenedDeps> =>
    this.#opened.get(`${limits.memoryMb} ${name}`, () => this.#open(name, limits));

  async close(): Promise<void> {
    await Promise.all(this.#deps.map((deps) => deps.close()));
  }

  #isolations(): ProcessIsolation[] {
    return this.#deps.flatMap(({ isolation }) => (isolation instanceof ProcessIsolation ? [isolation] : []));
  }

  async #open(name: string, limits: Limits): Promise<OpenedDeps> {
    const { variables, store, definitions } = this.#input;
    const { options, bundle } = await definitions.describe(name);
    // Problems come from the store: those of the evaluation, as it was started.
    const own = { limits, problems: [], concurrency: 1, isolation: "process" } as const;
    const definition = await readDefinition({ ...options, ...own }, sha256);
    const deps = await openRunDeps(definition, { bundle, variables, fleet: store.fleetLimits });
    deps.isolation.expect(Number.POSITIVE_INFINITY);
    this.#deps.push(deps);
    return deps;
  }
}
