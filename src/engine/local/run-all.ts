import type { Run } from "../../domain/plan.ts";
import { failure } from "../../domain/run/failure.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import type { Store } from "../../store/store.ts";
import type { BudgetBrake } from "../budget-brake.ts";
import { executeRun, type FinishedRun } from "../run/execute-run.ts";
import type { RunSpec } from "../run/run-spec.ts";

interface AllRuns {
  readonly runs: Iterable<Run>;
  readonly concurrency: number;
  /** Once it is aborted no further run starts; those under way end as they are. */
  readonly enough: AbortSignal;
  readonly brake: BudgetBrake;
  readonly store: Store;
  readonly spec: RunSpec;
  readonly onRunStarted: (run: Run) => void;
  readonly onEntry: (entry: LogEntry) => void;
}

/** Executes runs with bounded concurrency and saves each entry before anybody hears of it. */
export async function runAll({
  runs,
  concurrency,
  enough,
  brake,
  store,
  spec,
  onRunStarted,
  onEntry,
}: AllRuns): Promise<void> {
  const queue = runs[Symbol.iterator]();
  const broken = new AbortController();
  const cancelled = AbortSignal.any([spec.cancelled, broken.signal]);
  const work = async (): Promise<void> => {
    const isOver = () => cancelled.aborted || enough.aborted;
    for (let next = queue.next(); !next.done && !isOver(); next = queue.next()) {
      if (!(await brake.mayStart()) || isOver()) return;
      onRunStarted(next.value);
      const finished = await executeRun(next.value, { ...spec, cancelled });
      await brake.add(finished.entry);
      onEntry(await save(store, finished));
    }
  };
  const workers = Array.from({ length: concurrency }, () =>
    work().catch((error: unknown) => {
      broken.abort(failure("cancelled", "the evaluation broke"));
      throw error;
    }),
  );
  const ends = await Promise.allSettled(workers);
  const rejected = ends.find((end) => end.status === "rejected");
  if (rejected !== undefined) throw rejected.reason;
}

/** Another process that works on the same evaluation may have been first; then its entry counts. */
async function save(store: Store, { entry, body }: FinishedRun): Promise<LogEntry> {
  const saved = await store.saveEntry(entry, body);
  if (saved !== "already-there") return saved === "saved" ? entry : { ...entry, wasForged: true };
  for await (const stored of store.entries(entry.evaluationId, { runIds: [entry.runId] })) return stored;
  return entry;
}
