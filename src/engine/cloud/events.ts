import * as z from "zod";
import { EvaluationId } from "../../domain/ids.ts";
import type { Store } from "../../store/store.ts";

const Place = z.object({ v: z.literal(1), evaluationId: EvaluationId, round: z.int().positive() });

/** The key with which the entries of a round are signed; an execution that an older release began has none. */
const seal = z.string().optional();

/** Event that starts the execution of a round. Events hold no lists, and the same thing is always the same bytes. */
export const EvaluationEvent = Place.extend({
  /** Ends a round that was stopped, of which runs may still be under way. */
  isStop: z.literal(true).optional(),
  /** Of the round before runs may still be under way. */
  isAfterStop: z.literal(true).optional(),
});
export type EvaluationEvent = z.infer<typeof EvaluationEvent>;

export const ShardEvent = Place.extend({
  shard: z.int().nonnegative(),
  runsInFlight: z.int().positive(),
  seal,
});
export type ShardEvent = z.infer<typeof ShardEvent>;

export const RunEvent = Place.extend({ run: z.int().nonnegative(), seal });
export type RunEvent = z.infer<typeof RunEvent>;

/** A run that was not started, because the evaluation was cancelled or its budget is spent, leaves no entry. */
export const RunAnswer = z.enum(["ended", "not-started", "over-budget"]);
export type RunAnswer = z.infer<typeof RunAnswer>;

/** One shard, or (null) the evaluation as a whole. */
export const AggregateEvent = Place.extend({
  shard: z.int().nonnegative().nullable(),
  /** Runs may still be under way. */
  isStop: z.literal(true).optional(),
  /** Puts the stats of an evaluation right that ended before all of its runs had. */
  isLate: z.literal(true).optional(),
  seal,
  /** How many entries its shard has taken out that nobody had signed. */
  foreign: z.int().nonnegative().optional(),
});
export type AggregateEvent = z.infer<typeof AggregateEvent>;

export const AggregateAnswer = z.object({
  finished: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  /** Runs of which nothing is known; none, unless something was lost that must not be. */
  missing: z.int().nonnegative(),
});
export type AggregateAnswer = z.infer<typeof AggregateAnswer>;

/** Event that asks to report an evaluation that got worse, once its end is stored. */
export const AlarmEvent = Place.extend({ alarm: z.literal(true) });
export type AlarmEvent = z.infer<typeof AlarmEvent>;

/** Event that a clock sends: to count the evaluations that are running. */
export const WatchEvent = z.object({ v: z.literal(1), watch: z.literal(true) });

type Sealed = Pick<RunEvent, "evaluationId" | "round" | "seal">;

/** Hands the key of a round to the store; it lives in the events of its execution alone, and no agent's process gets it. */
export const learnSeal = (store: Pick<Store, "learnSeal">, { evaluationId, round, seal }: Sealed): void =>
  store.learnSeal(evaluationId, { round, key: seal ?? null });
