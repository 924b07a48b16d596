import { relative } from "node:path";
import { createInterface } from "node:readline/promises";
import { runnerMemoryMb } from "../../domain/cloud/limits.ts";
import { formatCost, formatCount, formatDuration, plural } from "../../domain/format.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { type ModelKey, modelKey } from "../../domain/model.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { type Definition, readDefinition } from "../../engine/definition/read-definition.ts";
import { plannedRows } from "../../engine/definition/requests.ts";
import { loadDefinitionApart } from "../../local/definition-apart.ts";
import { runEvaluation } from "../../local/run-evaluation.ts";
import { type Bounds, estimateEvaluation, type Forecast } from "../../statistics/forecast.ts";
import type { Store } from "../../store/store.ts";
import { sha256 } from "../../system/digest.ts";
import { UsageError } from "../exit.ts";
import { BLANK, type Line } from "../text/screen.ts";
import { type Column, layTable, modelColumn, numberColumn } from "../text/table.ts";
import { choiceOf, type DefinitionFlags, mergeOptions } from "./flags.ts";
import type { Job, JobSession } from "./jobs.ts";

interface FileEstimate {
  readonly name: string;
  readonly models: ReadonlyMap<ModelKey, Forecast>;
  readonly total: Forecast;
  /** The number of runs that it is based on. */
  readonly seen: number;
  /** The evaluation that ran to learn more; null when the store knew enough. */
  readonly pilot: EvaluationId | null;
}

interface EstimateOptions {
  readonly path: string;
  readonly cwd: string;
  readonly flags: DefinitionFlags;
  readonly store: Store;
  readonly signal: AbortSignal;
}

/** Estimates a run of this file from earlier runs, and from one problem for each model that has none. */
export async function estimateFile(request: EstimateOptions): Promise<FileEstimate> {
  const { flags, store, path } = request;
  const { options: own, bundle, against } = await loadDefinitionApart(path, { against: flags.against });
  const options = mergeOptions(own, flags);
  const definition = await readDefinition(options, sha256, choiceOf(flags, null));
  const known = await Promise.all(
    definition.models.map((model) => findHistory(store, definition.name, modelKey(model))),
  );
  const unseen = definition.models.filter((_, at) => known[at]?.length === 0);
  const first = definition.problems[0];
  const pilot =
    unseen.length === 0 || first === undefined
      ? null
      : await runEvaluation({
          options: { ...options, ...plannedRows(options, unseen), trials: 1 },
          bundle,
          against,
          file: relative(request.cwd, path),
          store,
          choice: { problemIds: [first.id] },
          signal: request.signal,
        });
  const tried = pilot === null ? [] : await Array.fromAsync(store.entries(pilot.record.id));
  return { ...estimate(definition, [...known.flat(), ...tried]), pilot: pilot?.record.id ?? null };
}

function estimate(definition: Definition, seen: readonly LogEntry[]): Omit<FileEstimate, "pilot"> {
  const { name, models, problems, trials, concurrency, limits } = definition;
  return {
    name,
    seen: seen.length,
    ...estimateEvaluation({
      models: models.map(modelKey),
      runsPerModel: problems.length * trials,
      concurrency,
      memoryMb: runnerMemoryMb([limits]),
      seen,
    }),
  };
}

const LATEST_EVALUATIONS = 10;
/** Further ones would change little. */
const ENOUGH_RUNS = 200;

/** Reads the latest runs of a model in evaluations of this name; stopped ones say nothing. */
async function findHistory(store: Store, name: string, model: ModelKey): Promise<LogEntry[]> {
  const found: LogEntry[] = [];
  for (const { id } of await store.listEvaluations({ name, limit: LATEST_EVALUATIONS })) {
    for await (const entry of store.entries(id, { model })) {
      if (entry.failure?.fault !== "stopped") found.push(entry);
      if (found.length === ENOUGH_RUNS) return found;
    }
  }
  return found;
}

const COLUMNS: readonly Column[] = [
  modelColumn,
  ...["runs", "tokens", "models", "AWS", "time"].map(numberColumn),
];

/** Shows low, expected and high for each model and for all of them. */
export function estimateLines({ name, models, total, seen, pilot }: FileEstimate, width: number): Line[] {
  const rows = [...models].flatMap(([key, estimate]) => rowsOf(key, estimate));
  const totals = models.size > 1 ? rowsOf("all", total) : [];
  const how = pilot === null ? "" : `, some of them now (${pilot})`;
  return [
    [
      [name, "bold"],
      [`  from ${plural(seen, "run")}${how}`, "dim"],
    ],
    BLANK,
    ...layTable({ columns: COLUMNS, rows: [...rows, ...totals] }, width),
    BLANK,
    [["AWS: infrastructure cost if run in the cloud.", "dim"]],
    ...(total.modelUsd === null ? [[["No price known for a model; set `prices`.", "dim"]] as const] : []),
  ];
}

const BOUNDS = ["low", "expected", "high"] as const satisfies readonly (keyof Bounds)[];

const rowsOf = (name: string, estimate: Forecast): string[][] =>
  BOUNDS.map((bound) => [
    `${name} ${bound}`,
    String(estimate.runs),
    estimate.tokens === null ? "unknown" : formatCount(Math.round(estimate.tokens[bound])),
    formatCost(estimate.modelUsd?.[bound] ?? null),
    formatCost(estimate.awsUsd[bound]),
    formatDuration(estimate.seconds[bound]),
  ]);

/**
 * Asks before an evaluation that may cost more than `--confirm-above`; without a terminal to ask on, it is refused.
 * Returns by file the evaluations that were run to learn the cost, or null for an answer of no.
 */
export async function confirmCost(
  session: JobSession,
  jobs: readonly Job[],
): Promise<ReadonlyMap<string, EvaluationId> | null> {
  const { host, flags } = session;
  const most = flags["confirm-above"];
  const news = jobs.filter(({ resumed }) => resumed === null);
  if (most === undefined || news.length === 0) return new Map();
  const { costs, pilots } = await estimateCosts(session, news);
  if (costs !== null && costs.high <= most) return pilots;
  const message =
    costs === null
      ? "The cost is unknown, because a price is."
      : `This may cost ${formatCost(costs.low)} to ${formatCost(costs.high)}, more than ${formatCost(most)}.`;
  if (host.stdout.isLive && host.process.stdin.isTTY) return (await ask(session, message)) ? pilots : null;
  throw new UsageError(`${message} Raise --confirm-above or leave it out; --budget-usd stops in time.`);
}

async function estimateCosts({ host, flags, store, interruption }: JobSession, jobs: readonly Job[]) {
  const pilots = new Map<string, EvaluationId>();
  let costs: Pick<Bounds, "low" | "high"> | null = { low: 0, high: 0 };
  for (const { path } of jobs) {
    const { total, pilot } = await estimateFile({
      path,
      cwd: host.cwd,
      flags,
      store: await store.open(),
      signal: interruption.signal,
    });
    if (pilot !== null) pilots.set(path, pilot);
    costs = costs &&
      total.modelUsd && { low: costs.low + total.modelUsd.low, high: costs.high + total.modelUsd.high };
  }
  return { costs, pilots };
}

async function ask({ host, interruption }: JobSession, message: string): Promise<boolean> {
  using reader = createInterface({ input: host.process.stdin, output: host.process.stdout });
  const answer = await reader.question(`${message} Go on? [y/N] `, { signal: interruption.signal });
  return /^y(es)?$/i.test(answer.trim());
}
