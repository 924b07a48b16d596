import { createInterface } from "node:readline/promises";
import { formatCost } from "../../domain/format.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import type { Bounds } from "../../domain/stats/estimate.ts";
import { UsageError } from "../errors.ts";
import type { Job } from "./jobs.ts";
import type { Session } from "./run-job.ts";

/** By file: the evaluation that ran to learn what the rest may cost, and is paid for. */
export type Pilots = ReadonlyMap<string, EvaluationId>;

/** What was run to learn the cost, or null to not go on above `--confirm-above`; where nobody can be asked, it is refused. */
export async function confirmCost(session: Session, jobs: readonly Job[]): Promise<Pilots | null> {
  const { host, flags } = session;
  const most = flags["confirm-above"];
  const news = jobs.filter(({ resumed }) => resumed === null);
  if (most === undefined || news.length === 0) return new Map();
  const { costs, pilots } = await estimateCosts(session, news);
  if (costs !== null && costs.high <= most) return pilots;
  const told =
    costs === null
      ? "What this costs is not known, because a price is not."
      : `This may cost ${formatCost(costs.low)} to ${formatCost(costs.high)}, more than ${formatCost(most)}.`;
  if (host.stdout.isLive && host.process.stdin.isTTY) return (await ask(session, told)) ? pilots : null;
  throw new UsageError(`${told} Raise --confirm-above or leave it out; --budget-usd stops in time.`, "run");
}

async function estimateCosts({ host, flags, store, interruption }: Session, jobs: readonly Job[]) {
  const { estimateFile } = await import("../estimate/estimate.ts");
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

async function ask({ host, interruption }: Session, told: string): Promise<boolean> {
  using reader = createInterface({ input: host.process.stdin, output: host.process.stdout });
  const answer = await reader.question(`${told} Go on? [y/N] `, { signal: interruption.signal });
  return /^y(es)?$/i.test(answer.trim());
}
