import type { ModelKey } from "../../domain/model.ts";
import type { Gates } from "../../domain/stats/gates.ts";
import type { Outcomes } from "../outcomes.ts";
import type { EvaluationReport, ModelAgainst, ModelReport } from "../report.ts";
import type { GateResult } from "./decision.ts";
import { dropGate, regressionGate } from "./drop-gates.ts";
import { metricGate, rateGate, shareGate } from "./least-gates.ts";

/** The results that gates judge. */
interface GatedResults {
  readonly report: Pick<EvaluationReport, "models">;
  readonly outcomes: Pick<Outcomes, "models" | "problems">;
  /** Null without a baseline: then no drop can be judged. */
  readonly against: GateBaseline | null;
}

interface GateBaseline {
  readonly baseline: string;
  readonly outcomes: Pick<Outcomes, "models">;
  readonly comparisons: readonly ModelAgainst[];
}

/**
 * Decides every gate for every model. A gate passes where the whole interval is within its limit, or no single problem
 * is beyond it; it fails where a number is too low, or a drop more than chance, and the rest is undecided.
 */
export function judgeGates(gates: Gates, results: GatedResults): GateResult[] {
  const models = Object.entries(results.report.models) as [ModelKey, ModelReport][];
  return [
    ...models.flatMap(([model, report]) => judgeModel(gates, model, report, results.outcomes)),
    ...(results.against === null ? [] : judgeDrops(gates, results.outcomes, results.against)),
  ];
}

function judgeModel(
  { accuracy, tags = {}, metrics = {}, passRate }: Gates,
  model: ModelKey,
  report: ModelReport,
  outcomes: GatedResults["outcomes"],
): GateResult[] {
  const tallies = outcomes.models.get(model);
  if (tallies === undefined) return [];
  const ids = outcomes.problems.tags();
  const counts = [...tallies];
  return [
    ...(accuracy === undefined
      ? []
      : [
          shareGate(
            { gate: "accuracy", name: null, model, limit: accuracy },
            "accuracy",
            counts.map(([, each]) => each),
          ),
        ]),
    ...Object.entries(tags).map(([name, limit]) => {
      const tagged = (ids.get(name) ?? []).flatMap((id) => tallies.get(id) ?? []);
      return shareGate({ gate: "tags", name, model, limit }, `accuracy of problems tagged ${name}`, tagged);
    }),
    ...Object.entries(metrics).map(([name, limit]) => {
      const scores = [...(tallies.metrics().get(name) ?? [])];
      return metricGate({ gate: "metrics", name, model, limit }, scores, report.metrics[name] ?? null);
    }),
    ...(passRate === undefined
      ? []
      : [rateGate({ gate: "passRate", name: null, model, limit: passRate }, counts)]),
  ];
}

function judgeDrops(
  { maxDrop, regression }: Gates,
  { models }: GatedResults["outcomes"],
  { baseline, outcomes, comparisons }: GateBaseline,
): GateResult[] {
  return comparisons.flatMap((comparison) => {
    const [now, before] = [models.get(comparison.model), outcomes.models.get(comparison.baselineModel)];
    if (now === undefined || before === undefined) return [];
    const drop = { baseline, comparison, sides: [now, before] } as const;
    return [
      ...(maxDrop === undefined ? [] : [dropGate(maxDrop, drop)]),
      ...(regression === true ? [regressionGate(drop)] : []),
    ];
  });
}
