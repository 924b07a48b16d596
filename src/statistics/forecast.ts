import type { ModelKey } from "../domain/model.ts";
import { entryModelKey, type LogEntry } from "../domain/run/log-entry.ts";
import { totalTokens } from "../domain/run/usage.ts";
import { tQuantile } from "./distributions.ts";

/** Range to expect: 90% of the time between low and high, if runs are like those seen; of one run, half and twice. */
export interface Bounds {
  readonly low: number;
  readonly expected: number;
  readonly high: number;
}

export interface Forecast {
  readonly runs: number;
  readonly tokens: Bounds | null;
  /** Null where a price is unknown. */
  readonly modelUsd: Bounds | null;
  /** What AWS takes for the runs beside the models, if they run there. */
  readonly awsUsd: Bounds;
  /** From the first run to the last, on the wall. */
  readonly seconds: Bounds;
}

interface ForecastInput {
  readonly models: readonly ModelKey[];
  readonly runsPerModel: number;
  readonly concurrency: number;
  /** Of the function that a run has in the cloud. */
  readonly memoryMb: number;
  /** Runs that were seen, of any of the models. */
  readonly seen: readonly LogEntry[];
}

/** Estimates what an evaluation will take, per model and in total. */
export function estimateEvaluation(input: ForecastInput): {
  models: Map<ModelKey, Forecast>;
  total: Forecast;
} {
  const models = new Map(input.models.map((key) => [key, estimateModel(input, key)]));
  return { models, total: [...models.values()].reduce(addForecasts, NOTHING) };
}

function estimateModel(
  { runsPerModel, concurrency, memoryMb, seen }: ForecastInput,
  key: ModelKey,
): Forecast {
  const own = seen.filter((entry) => entryModelKey(entry) === key);
  const sumOf = (measure: (entry: LogEntry) => number | null) => predictSum(own.map(measure), runsPerModel);
  const seconds = sumOf(({ runtimeSeconds, startupSeconds }) => runtimeSeconds + startupSeconds) ?? ZERO;
  return {
    runs: runsPerModel,
    tokens: sumOf(({ usage }) => usage && totalTokens(usage)),
    modelUsd: sumOf(({ costUsd, judgeUsage, judgeCostUsd }) =>
      costUsd === null || (judgeUsage !== null && judgeCostUsd === null)
        ? null
        : costUsd + (judgeCostUsd ?? 0),
    ),
    awsUsd: mapBounds(seconds, (sum) => awsCostUsd(runsPerModel, sum, memoryMb)),
    seconds: mapBounds(seconds, (sum) => sum / Math.min(concurrency, Math.max(1, runsPerModel))),
  };
}

/** One run says what to expect and nothing about how much runs differ. */
const ONE_SAMPLE_FACTOR = 2;
const COVERED = 0.9;

/** The sum over so many further runs (Student's prediction interval); null when nothing is known of one of those seen. */
export function predictSum(values: readonly (number | null)[], runs: number): Bounds | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0 || known.length < values.length) return null;
  const count = known.length;
  const mean = known.reduce((sum, value) => sum + value, 0) / count;
  const expected = runs * mean;
  if (count === 1) return { low: expected / ONE_SAMPLE_FACTOR, expected, high: expected * ONE_SAMPLE_FACTOR };
  const variance = known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  const t = tQuantile((1 + COVERED) / 2, count - 1);
  const margin = t * Math.sqrt(variance * (runs + (runs * runs) / count));
  return { low: Math.max(0, expected - margin), expected, high: expected + margin };
}

const ZERO: Bounds = { low: 0, expected: 0, high: 0 };
const NOTHING: Forecast = { runs: 0, tokens: ZERO, modelUsd: ZERO, awsUsd: ZERO, seconds: ZERO };

const mapBounds = ({ low, expected, high }: Bounds, change: (value: number) => number): Bounds => ({
  low: change(low),
  expected: change(expected),
  high: change(high),
});

const addBounds = (a: Bounds, b: Bounds): Bounds => ({
  low: a.low + b.low,
  expected: a.expected + b.expected,
  high: a.high + b.high,
});

const addKnown = (a: Bounds | null, b: Bounds | null): Bounds | null => (a && b ? addBounds(a, b) : null);

const addForecasts = (a: Forecast, b: Forecast): Forecast => ({
  runs: a.runs + b.runs,
  tokens: addKnown(a.tokens, b.tokens),
  modelUsd: addKnown(a.modelUsd, b.modelUsd),
  awsUsd: addBounds(a.awsUsd, b.awsUsd),
  seconds: addBounds(a.seconds, b.seconds),
});

/** AWS's list prices in dollars, for arm64 in most regions; taxes, free tiers and discounts aside. */
const PER_GB_SECOND = 0.000_013_333_4;
const PER_REQUEST = 0.000_000_2;
/** Durable operations of one run: its invocation, and its share of what a shard does. */
const DURABLE_PER_RUN = 0.000_008;
/** Its entry, its progress, what it spent and its object. */
const TABLE_PER_RUN = 0.000_007_5;

/** Computes what AWS costs for runs that take so many seconds together, beside their models. */
export const awsCostUsd = (runs: number, seconds: number, memoryMb: number): number =>
  seconds * (memoryMb / 1_024) * PER_GB_SECOND + runs * (PER_REQUEST + DURABLE_PER_RUN + TABLE_PER_RUN);
