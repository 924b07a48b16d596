import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EvaluationResult } from "./agent-evaluator.ts";
import type { EvaluationRecord } from "./domain/evaluation.ts";
import { EvaluatorError } from "./domain/evaluator-error.ts";
import type { LogEntry } from "./domain/log-entry.ts";
import { modelKey } from "./domain/model.ts";
import type { RunBody } from "./domain/run-body.ts";
import { type EvaluationReport, evaluationReport } from "./domain/statistics/evaluation-report.ts";
import { Outcomes } from "./domain/statistics/outcomes.ts";
import type { EvaluationOptions } from "./engine/definition.ts";
import { checkOptions } from "./engine/read-definition.ts";
import { bundleDefinition, type DefinitionBundle } from "./isolation/bundle.ts";
import { usersStack } from "./isolation/users-stack.ts";
import { whyNotAgain } from "./isolation/why-not-again.ts";
import { childModule } from "./own-files.ts";
import { runEvaluation } from "./run-evaluation.ts";
import type { Store } from "./store/contract.ts";
import { memoryStore } from "./store/memory-store.ts";
import { openSqliteStore } from "./store/sqlite-store.ts";

const DEFAULT_STORE = ".agent-evaluator";

/** What `evaluate()` and `runOne()` gave so far in this process, by call, for the children that run the script again. */
export const results: unknown[] = [];

/** Keeps a store that lives in memory for as long as its evaluator. */
export interface Finished {
  memory?: Store;
}

/** `evaluate()` in a program of the user's own: the children run that program again up to the same call. */
export async function evaluateScript(
  options: EvaluationOptions,
  call: number,
  finished: Finished,
): Promise<EvaluationResult> {
  try {
    return await evaluate(options, call, finished);
  } catch (error) {
    throw usersStack(error, dirname(childModule()));
  }
}

async function evaluate(
  options: EvaluationOptions,
  call: number,
  finished: Finished,
): Promise<EvaluationResult> {
  const { isolation } = checkOptions(options);
  const bundle = isolation === "none" ? null : await bundleScript(process.argv[1]);
  const earlier = bundle === null ? "" : saveEarlier(bundle, call);
  const store = openStore(options, finished);
  try {
    const outcome = await runEvaluation({
      options,
      bundle,
      childArgs: ["script", process.argv[1] ?? "", String(call), earlier, ...process.argv.slice(2)],
      file: null,
      store,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      listener: { warning: (message) => console.warn(`agent-evaluator: ${message}`) },
    });
    const logs = await readLogs(store, outcome.record.id);
    const result = {
      stats: outcome.stats,
      logs,
      evaluation: outcome.record,
      report: reportOf(outcome.record, logs),
    };
    results[call] = result;
    return result;
  } finally {
    if (earlier !== "") rmSync(earlier, { force: true });
    if (options.store !== false) await store.close();
  }
}

function reportOf({ models }: EvaluationRecord, logs: readonly LogEntry[]): EvaluationReport {
  const outcomes = new Outcomes(models.map(modelKey));
  for (const entry of logs) outcomes.addEntry(entry);
  return evaluationReport(outcomes);
}

export async function loadBody(
  options: EvaluationOptions,
  finished: Finished,
  entry: Pick<LogEntry, "evaluationId" | "runId" | "round">,
): Promise<RunBody | null> {
  const store = openStore(options, finished);
  try {
    return await store.readBody(entry.evaluationId, entry.runId, entry.round);
  } finally {
    if (options.store !== false) await store.close();
  }
}

function openStore(options: EvaluationOptions, finished: Finished): Store {
  if (options.store !== false) return openSqliteStore(options.store ?? DEFAULT_STORE);
  finished.memory ??= memoryStore();
  return finished.memory;
}

/** All logs, with the results that are too large for an entry. */
async function readLogs(store: Store, id: LogEntry["evaluationId"]): Promise<LogEntry[]> {
  const logs: LogEntry[] = [];
  for await (const entry of store.entries(id)) {
    const isApart = entry.result === null && entry.resultBytes > 0;
    const body = isApart ? await store.readBody(id, entry.runId, entry.round) : null;
    logs.push(body === null ? entry : { ...entry, result: body.result });
  }
  return logs;
}

async function bundleScript(script: string | undefined): Promise<DefinitionBundle> {
  const place = whyNotAgain(script, process.env);
  if (place === null && script !== undefined) return bundleDefinition(script, { childModule: childModule() });
  throw new EvaluatorError(
    "isolation.no_reentry",
    `a run's process starts this program again up to its evaluate(), and that is not possible ${place}. ` +
      'Put the evaluation into a file of its own (evals/my.eval.ts, run by "agent-evaluator run"), ' +
      'or set isolation: "none" to run the agents in this process.',
  );
}

/** Beside the bundle, where the children may read. */
function saveEarlier(bundle: DefinitionBundle, call: number): string {
  const file = join(dirname(bundle.file), `earlier-${process.pid}-${call}.json`);
  writeFileSync(file, JSON.stringify(Array.from({ length: call }, (_, index) => results[index] ?? null)));
  return file;
}
