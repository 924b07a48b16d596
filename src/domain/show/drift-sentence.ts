import type { DriftFinding } from "../drift.ts";
import { plural } from "./format-count.ts";
import { formatP, formatPoints } from "./format-interval.ts";

/** What a finding says: `openai/gpt-5-mini: accuracy fell by 12.0 points (p 0.004, 60 problems)`. */
export function driftSentence({ model, measure, change, adjustedP, problems }: DriftFinding): string {
  const what =
    measure === "accuracy"
      ? `accuracy fell by ${formatPoints(Math.abs(change)).slice(1)} points`
      : `${measure} rose by ${Math.round(change * 100)}%`;
  return `${model}: ${what} (p ${formatP(adjustedP)}, ${plural(problems, "problem")})`;
}
