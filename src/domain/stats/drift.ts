import * as z from "zod";
import { formatP, formatPoints, plural } from "../format.ts";
import { EvaluationId } from "../ids.ts";
import { ModelKey } from "../model.ts";

/** Puts a finding into a sentence: `openai/gpt-5-mini: accuracy fell by 12.0 points (p 0.004, 60 problems)`. */
export function driftSentence({ model, measure, change, adjustedP, problems }: DriftFinding): string {
  const what =
    measure === "accuracy"
      ? `accuracy fell by ${formatPoints(Math.abs(change)).slice(1)} points`
      : `${measure} rose by ${Math.round(change * 100)}%`;
  return `${model}: ${what} (p ${formatP(adjustedP)}, ${plural(problems, "problem")})`;
}

/** How many earlier executions an evaluation is compared with when it does not say. */
const LAST = 3;

/** Baseline that an evaluation is compared with at its end, and where a change for the worse is reported. */
export const Drift = z
  .strictObject({
    /** An evaluation that stays the measure, whatever comes after it. */
    baseline: EvaluationId.optional(),
    /** Or the latest ones of the same name, taken together. */
    last: z.int().min(1).max(100).optional(),
    /** The variable that holds the address; an address is as good as a key, and is never written into a file. */
    webhook: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected the name of an environment variable")
      .optional(),
  })
  .refine(({ baseline, last }) => baseline === undefined || last === undefined, {
    path: ["last"],
    message: "expected `baseline` or `last`, not both",
  })
  .overwrite((drift) => (drift.baseline === undefined ? { ...drift, last: drift.last ?? LAST } : drift));
export type Drift = z.output<typeof Drift>;
export type DriftInput = Readonly<z.input<typeof Drift>>;

const DriftMeasure = z.enum(["accuracy", "cost", "runtime"]);

/** A change for the worse that is more than chance. */
export const DriftFinding = z.object({
  model: ModelKey,
  measure: DriftMeasure,
  /** Of accuracy the difference of shares, below 0; of cost and runtime how much more, 0.5 being half as much again. */
  change: z.number(),
  problems: z.int().positive(),
  /** By Holm, over all models and measures that were looked at. */
  adjustedP: z.number(),
});
export type DriftFinding = z.infer<typeof DriftFinding>;

/** Message that is sent when there is something to report. */
export const DriftAlarm = z.object({
  v: z.literal(1),
  /** All of it in words, where chat programs look for them. */
  text: z.string(),
  evaluation: EvaluationId,
  name: z.string(),
  against: z.array(EvaluationId),
  findings: z.array(DriftFinding).min(1),
});
export type DriftAlarm = z.infer<typeof DriftAlarm>;
