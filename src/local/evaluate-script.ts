import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { EvaluationResult } from "../agent-evaluator.ts";
import { bundleDefinition } from "../bundle/build-bundle.ts";
import type { DefinitionBundle } from "../bundle/bundle.ts";
import { EvaluatorError, isEvaluatorError } from "../domain/errors.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import { modelKey } from "../domain/model.ts";
import type { LogEntry, RunBody } from "../domain/run/log-entry.ts";
import type { EvaluationOptions } from "../engine/definition/definition.ts";
import { checkOptions } from "../engine/definition/read-definition.ts";
import { Outcomes } from "../statistics/outcomes.ts";
import { type EvaluationReport, evaluationReport } from "../statistics/report.ts";
import { memoryStore } from "../store/memory/memory-store.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import type { Store } from "../store/store.ts";
import { childModule } from "./own-files.ts";
import { runEvaluation } from "./run-evaluation.ts";

const DEFAULT_STORE = ".agent-evaluator";

/** Results of `evaluate()` and `runOne()` so far in this process, by call, for the children that run the script again. */
export const results: unknown[] = [];

/** Keeps a store that lives in memory for as long as its evaluator. */
export interface StoreKeeper {
  memory?: Store;
}

/** `evaluate()` in a program of the user's own: the children run that program again up to the same call. */
export async function evaluateScript(
  options: EvaluationOptions,
  call: number,
  finished: StoreKeeper,
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
  finished: StoreKeeper,
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
  finished: StoreKeeper,
  entry: Pick<LogEntry, "evaluationId" | "runId" | "round">,
): Promise<RunBody | null> {
  const store = openStore(options, finished);
  try {
    return await store.readBody(entry.evaluationId, entry.runId, entry.round);
  } finally {
    if (options.store !== false) await store.close();
  }
}

function openStore(options: EvaluationOptions, finished: StoreKeeper): Store {
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
      'Put the evaluation into its own file (evals/my.eval.ts, run by "agent-evaluator run"), ' +
      'or set isolation: "none" to run the agents in this process.',
  );
}

/** Beside the bundle, where the children may read. */
function saveEarlier(bundle: DefinitionBundle, call: number): string {
  const file = join(dirname(bundle.file), `earlier-${process.pid}-${call}.json`);
  writeFileSync(file, JSON.stringify(Array.from({ length: call }, (_, index) => results[index] ?? null)));
  return file;
}

/** Programs that load a user's code into themselves; starting them again would not come to the same line. */
const RUNNERS =
  /[\\/]node_modules[\\/](vitest|tinypool|vite-node|jest(?:-[a-z-]+)?|mocha|ava|playwright|@playwright[\\/]test)[\\/]/;

/** Null when this program can be started again up to the same call, else where we are. */
export function whyNotAgain(
  script: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
): string | null {
  const [, runner] = RUNNERS.exec(script ?? "") ?? [];
  if (runner !== undefined) return `inside a test runner (${runner})`;
  if (variables.NODE_TEST_CONTEXT !== undefined) return "inside a test runner (node --test)";
  return script === undefined || !isFile(script) ? "in a REPL or with node -e" : null;
}

/** As Node finds a program: an extension or the name of a folder's main file may be left out. */
function isFile(script: string): boolean {
  try {
    return createRequire(import.meta.url).resolve(script) !== "";
  } catch {
    return false; // There is no such file, or none that this process may see.
  }
}

/**
 * The error with only the user's own lines in its stack. One of ours says by itself what is wrong; where in our code it
 * was found tells nobody more, and Node would print that line first.
 */
function usersStack(error: unknown, ownFolder: string): unknown {
  if (!isEvaluatorError(error)) return error;
  const own = [ownFolder, pathToFileURL(ownFolder).href];
  const frames = (error.stack ?? "")
    .split("\n")
    .filter(
      (line) => /^ +at /.test(line) && !line.includes("node:") && !own.some((place) => line.includes(place)),
    );
  error.stack = [`${error.name}: ${error.message}`, ...frames].join("\n");
  return error;
}
