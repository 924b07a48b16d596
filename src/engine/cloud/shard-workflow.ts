import type { BatchResult, DurableContext } from "@aws/durable-execution-sdk-js";
import type { Clock } from "../../domain/clock.ts";
import type { TenantIsolation } from "../../domain/cloud/settings.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { type PlanSize, type RunSpan, spanOfShard } from "../../domain/plan.ts";
import { isChecking } from "../../domain/run/verdict.ts";
import type { Store } from "../../store/store.ts";
import { BudgetBrake } from "../budget-brake.ts";
import { accountForRuns, type LostCause, runsToDo, takeOver } from "../owed-runs.ts";
import { storedRecord } from "../record.ts";
import { type AggregateEvent, learnSeal, type RunAnswer, type RunEvent, ShardEvent } from "./events.ts";
import {
  everyItem,
  invokeFunction,
  isRefusal,
  MAX_LOSSES,
  refusedRuns,
  spareForEnd,
  spareForRuns,
} from "./retry-rules.ts";

interface ShardDeps {
  readonly store: Store;
  readonly clock: Pick<Clock, "now">;
  readonly runner: string;
  readonly aggregator: string;
  readonly tenants: TenantIsolation;
  /** A few seconds by default. */
  readonly retryDelaySeconds?: number;
}

interface ShardEnd {
  readonly shard: number;
  readonly started: number;
  readonly lost: number;
}

/** So many runs ask once whether there is a reason not to start; each asks again by itself before it does. */
const RUNS_PER_GATE = 20;

/**
 * All runs of one shard, each in an invocation of its own; when it ends, every one of them is accounted for. It fails,
 * and says nothing of its runs, while some of them were refused: started again, it goes on with those without an entry.
 */
export const shardWorkflow =
  (parts: ShardDeps) =>
  async (input: unknown, context: DurableContext): Promise<ShardEnd> => {
    const event = ShardEvent.parse(input);
    learnSeal(parts.store, event);
    const found = await context.step("open", () => openShard(parts, event));
    const toDo = await takeOverShard(parts, event, found, context);
    const opened = { ...found, toDo };
    const runs = await invokeRuns(parts, event, opened, context);
    const refused = runs.all.filter(({ error }) => isRefusal(error)).length;
    if (refused > 0) throw refusedRuns(refused);
    const causes = causesOf(opened.toDo, runs);
    const account = async (): Promise<number> => {
      const foreign = await parts.store.removeForeign(event.evaluationId, opened.span);
      await accountForRuns({ ...parts, ...event }, opened.toDo, (run) => causes.get(run) ?? "crashed");
      return foreign.length;
    };
    const foreign = opened.isCheck ? 0 : await context.step("account", account);
    await fold(parts, event, foreign, context);
    const started = runs.all.filter(({ result = "ended" }) => result === "ended").length;
    return { shard: event.shard, started, lost: runs.failureCount };
  };

interface OpenedShard {
  readonly plan: Pick<EvaluationRecord, "models" | "trials" | "budget" | "deadline" | "grownFrom">;
  readonly span: RunSpan;
  readonly toDo: readonly number[];
  /** Whether its runs are only to be checked again: then each has its entry already, and no budget holds. */
  readonly isCheck: boolean;
}

async function openShard(
  { store }: ShardDeps,
  { evaluationId, round, shard }: ShardEvent,
): Promise<OpenedShard> {
  const record = await storedRecord(store, evaluationId);
  const span = spanOfShard(record, shard);
  const toDo = await runsToDo(store, record, round, span);
  const isCheck = isChecking(record, round);
  const { models, trials, budget, deadline, grownFrom } = isCheck ? { ...record, ...UNBOUND } : record;
  return { plan: { models, trials, budget, deadline, grownFrom }, span, toDo, isCheck };
}

const UNBOUND = { budget: null, deadline: null, grownFrom: null } as const;

function invokeRuns(
  parts: ShardDeps,
  event: ShardEvent,
  { plan, toDo }: OpenedShard,
  context: DurableContext,
): Promise<BatchResult<RunAnswer>> {
  const gate = gates(parts, event, plan);
  const retries = {
    pool: spareForRuns(toDo.length),
    maxLosses: MAX_LOSSES,
    delaySeconds: parts.retryDelaySeconds,
  };
  const invokeRun = async (item: DurableContext, run: number, place: number): Promise<RunAnswer> => {
    const refusal = await gate(item, place);
    if (refusal !== null) return refusal;
    return invokeFunction(item, {
      name: `run-${run}`,
      fn: parts.runner,
      event: toRunEvent(event, run),
      retries,
      tenantId: tenantId(parts.tenants, plan, { ...event, run }),
    });
  };
  return context.map("runs", [...toDo], invokeRun, everyItem(event.runsInFlight));
}

/** Why each run may be without an entry. */
const causesOf = (toDo: readonly number[], runs: BatchResult<RunAnswer>) =>
  new Map(toDo.map((run, place): [number, LostCause] => [run, CAUSES[runs.all[place]?.result ?? "ended"]]));

const CAUSES: Readonly<Record<RunAnswer, LostCause>> = {
  ended: "crashed",
  "not-started": "cancelled",
  "over-budget": "budget",
};

type Refusal = Exclude<RunAnswer, "ended">;

/**
 * Why a run may not start, if there is a reason. Items start in order, so the first of its block always asks for all
 * of them, and what it heard is kept by the execution: a replay decides as the first time, whatever happened since.
 */
function gates(
  { store, clock }: ShardDeps,
  { evaluationId, round }: ShardEvent,
  plan: Pick<EvaluationRecord, "budget" | "deadline">,
) {
  const brake = new BudgetBrake(store, { ...plan, id: evaluationId }, clock);
  const ask = async (): Promise<Refusal | null> => {
    if (await store.isCancelRequested(evaluationId, round)) return "not-started";
    return (await brake.mayStart()) ? null : "over-budget";
  };
  const answers = new Map<number, PromiseLike<Refusal | null>>();
  return async (item: DurableContext, place: number): Promise<Refusal | null> => {
    const block = Math.floor(place / RUNS_PER_GATE);
    const known = answers.get(block);
    if (known !== undefined) return known;
    const asked = item.step(`gate-${block}`, ask);
    answers.set(block, asked);
    return asked;
  };
}

const toRunEvent = ({ v, evaluationId, round, seal }: ShardEvent, run: number): RunEvent => ({
  v,
  evaluationId,
  round,
  seal,
  run,
});

/** A shard that could not be folded now is folded at the end of the evaluation. */
async function fold(
  parts: ShardDeps,
  { v, evaluationId, round, seal, shard }: ShardEvent,
  foreign: number,
  context: DurableContext,
): Promise<void> {
  const event = {
    v,
    evaluationId,
    round,
    seal,
    shard,
    ...(foreign > 0 ? { foreign } : {}),
  } satisfies AggregateEvent;
  const retries = { pool: spareForEnd(), maxLosses: MAX_LOSSES, delaySeconds: parts.retryDelaySeconds };
  await invokeFunction(context, { name: "fold", fn: parts.aggregator, event, retries }).catch(() => {});
}

/** What one step can copy in well under the time of an invocation, however large its bodies are. */
const RUNS_PER_STEP = 100;

/** Answers with the runs that are left to do once those that ended in an earlier, smaller evaluation are here. */
async function takeOverShard(
  { store }: ShardDeps,
  { evaluationId, round }: ShardEvent,
  { plan: { grownFrom }, toDo }: OpenedShard,
  context: DurableContext,
): Promise<readonly number[]> {
  if (grownFrom === null) return toDo;
  const left: number[] = [];
  for (let first = 0; first < toDo.length; first += RUNS_PER_STEP) {
    const some = toDo.slice(first, first + RUNS_PER_STEP);
    const taken = await context.step(`take-over-${first / RUNS_PER_STEP}`, async () => {
      const to = { ...(await storedRecord(store, evaluationId)), round };
      const span = { from: some[0] ?? 0, to: (some.at(-1) ?? 0) + 1 };
      return [...(await takeOver(store, to, span, (run) => some.includes(run)))];
    });
    left.push(...some.filter((run) => !taken.includes(run)));
  }
  return left;
}

interface TenantRun {
  readonly evaluationId: EvaluationId;
  readonly round: number;
  readonly run: number;
}

/** Names the warm environments that a run may get; models go by their place: Lambda knows fewer letters than they use. */
export function tenantId(
  isolation: TenantIsolation,
  { models, trials }: Pick<PlanSize, "models" | "trials">,
  { evaluationId, round, run }: TenantRun,
): string | null {
  switch (isolation) {
    case "none":
      return null;
    case "per-run":
      return `${evaluationId}.run-${run}.${round}`;
    case "per-model":
      return `${evaluationId}.model-${Math.floor(run / trials) % models.length}`;
  }
}
