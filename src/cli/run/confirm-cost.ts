import { createInterface } from "node:readline/promises";
import { formatCost } from "../../domain/format.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import type { Bounds } from "../../domain/stats/estimate.ts";
import { UsageError } from "../errors.ts";
import type { Job, JobSession } from "./jobs.ts";

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
  throw new UsageError(
    `${message} Raise --confirm-above or leave it out; --budget-usd stops in time.`,
    "run",
  );
}

async function estimateCosts({ host, flags, store, interruption }: JobSession, jobs: readonly Job[]) {
  const { estimateFile } = await import("./estimate.ts");
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
