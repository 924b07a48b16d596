// What the API answers, for those who read it: the page takes the types alone (`import type`), so that it loads no zod.
import * as z from "zod";
import { EvaluationRecord, EvaluationStatus } from "../domain/evaluation.ts";
import { EvaluationId, ProblemId } from "../domain/ids.ts";
import { Json } from "../domain/json.ts";
import { ModelKey } from "../domain/model.ts";
import { CapturedOutput, LogEntry, TranscriptStep } from "../domain/run/log-entry.ts";
import { ModelStats } from "../domain/stats/stats.ts";
import { DefinitionSummary } from "../engine/engine.ts";

const Count = z.int().nonnegative();

/** Answers every request that fails. */
export const ErrorAnswer = z.object({
  error: z.object({
    /** Stable, for programs. */
    code: z.string(),
    /** For people: what happened, to what, and what to do next. */
    message: z.string(),
    /** The place in the request; null when no single place is to blame. */
    path: z.string().nullable(),
  }),
});
export type ErrorAnswer = z.infer<typeof ErrorAnswer>;

/** An evaluation with its progress and stats at this moment. */
export const EvaluationView = EvaluationRecord.extend({
  stats: z.record(ModelKey, ModelStats),
  progress: z.object({
    total: Count,
    finished: Count,
    correct: Count,
    failed: Count,
    inputTokens: Count,
    outputTokens: Count,
    costUsd: z.number().nullable(),
  }),
  /** What all rounds used, where there is a budget. */
  spent: z.object({ nanoUsd: Count, tokens: Count }).nullable(),
});
export type EvaluationView = z.infer<typeof EvaluationView>;

export const EvaluationPage = z.object({
  evaluations: z.array(EvaluationRecord),
  next: z.string().nullable(),
});
export type EvaluationPage = z.infer<typeof EvaluationPage>;

export const StartedEvaluation = z.object({ id: EvaluationId, url: z.string() });
export type StartedEvaluation = z.infer<typeof StartedEvaluation>;

export const GrownEvaluation = StartedEvaluation.extend({
  /** Runs that are taken over from the evaluation before. */
  keptRuns: Count,
  /** Runs that are about to take place. */
  newRuns: Count,
});
export type GrownEvaluation = z.infer<typeof GrownEvaluation>;

export const RunView = z.object({
  /** The round that counts. */
  entry: LogEntry,
  /** Oldest first. */
  rounds: z.array(LogEntry),
});
export type RunView = z.infer<typeof RunView>;

/** The transcript's steps, what was kept of an output, or the result itself. */
export const RunPart = z.union([z.array(TranscriptStep), CapturedOutput, Json.nullable()]);

export const LogPage = z.object({ logs: z.array(LogEntry), next: z.string().nullable() });
export type LogPage = z.infer<typeof LogPage>;

/** The verdict of every run, one character each: a row per problem, in it model by model, trial by trial. */
export const Grid = z.object({
  models: z.array(ModelKey),
  trials: z.int().positive(),
  problemCount: Count,
  /** The position of the first row's problem. */
  from: Count,
  problems: z.array(
    z.object({
      id: ProblemId,
      tags: z.array(z.string()),
      /** The beginning of the problem, on one line. */
      text: z.string(),
    }),
  ),
  rows: z.array(z.string()),
  /** `from` of the next page. */
  next: z.int().positive().nullable(),
});
export type Grid = z.infer<typeof Grid>;

/** One model compared with another, on the problems that both have. */
const ModelAgainst = z.object({
  model: ModelKey,
  baselineModel: ModelKey,
  pairedProblems: Count,
  difference: z.number().nullable(),
  interval: z.object({ low: z.number(), high: z.number() }).nullable(),
  pValue: z.number(),
  adjustedP: z.number(),
  /** While runs are still to come it is too early; p-values and interval hold for one look, after the last run. */
  verdict: z.enum(["better", "worse", "not distinguishable", "too early"]),
  /** The least true difference that four of five evaluations on so many problems show. */
  detectable: z.number().nullable(),
  /** How many problems would do so if the true difference is the one seen. */
  problemsNeeded: z.int().positive().nullable(),
  /** One-sided mid-p of a drop; left out where the models of one evaluation are compared with each other. */
  dropP: z.number().optional(),
});

export const ComparedEvaluations = z.object({
  baseline: EvaluationId,
  candidate: EvaluationId,
  comparisons: z.array(ModelAgainst),
});
export type ComparedEvaluations = z.infer<typeof ComparedEvaluations>;

export const DefinitionList = z.object({ definitions: z.array(DefinitionSummary) });
export type DefinitionList = z.infer<typeof DefinitionList>;

export const TrendStats = ModelStats.unwrap().pick({
  accuracy: true,
  planned: true,
  finished: true,
  correct: true,
  scored: true,
  failed: true,
  failuresByFault: true,
  costUsd: true,
  runsWithUnknownCost: true,
  p50RuntimeSeconds: true,
});

/** The evaluations of one name, newest first; those that still run or have no stats are left out. */
export const Trend = z.object({
  name: z.string(),
  evaluations: z.array(
    z.object({
      id: EvaluationId,
      status: EvaluationStatus,
      startedAt: z.iso.datetime(),
      trials: z.int().positive(),
      models: z.record(ModelKey, TrendStats),
    }),
  ),
  next: z.string().nullable(),
});
export type Trend = z.infer<typeof Trend>;
