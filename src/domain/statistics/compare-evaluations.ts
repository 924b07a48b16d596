import type { ModelKey } from "../model.ts";
import { type Comparison, compareAll } from "./compare-models.ts";
import type { Outcomes } from "./outcomes.ts";

/** One side of a comparison. */
export interface ComparedSide {
  readonly outcomes: Outcomes;
  /** The only model that is meant; null for all. */
  readonly model: ModelKey | null;
}

/** A model of the candidate, compared with one of the baseline. */
export interface ModelAgainst extends Comparison {
  readonly model: ModelKey;
  /** The same one, unless two different models were named. */
  readonly baselineModel: ModelKey;
}

/** Every model that both have, or the two that are meant; empty when there is no such pair. */
export function compareEvaluations(candidate: ComparedSide, baseline: ComparedSide): ModelAgainst[] {
  const pairs = pairModels(candidate, baseline).flatMap((pair) => {
    const first = candidate.outcomes.models.get(pair.model);
    const second = baseline.outcomes.models.get(pair.baselineModel);
    return first === undefined || second === undefined ? [] : [{ pair, sides: [first, second] as const }];
  });
  const compared = compareAll(pairs.map(({ sides }) => sides));
  return pairs.flatMap(({ pair }, at) => {
    const comparison = compared[at];
    return comparison === undefined ? [] : [{ ...pair, ...comparison }];
  });
}

type PairOfModels = Pick<ModelAgainst, "model" | "baselineModel">;

function pairModels(candidate: ComparedSide, baseline: ComparedSide): PairOfModels[] {
  const [mine, theirs] = [keysOf(candidate.outcomes), keysOf(baseline.outcomes)];
  const [model, baselineModel] = [candidate.model ?? baseline.model, baseline.model ?? candidate.model];
  if (model !== null && baselineModel !== null) return [{ model, baselineModel }];
  const common = mine.filter((key) => theirs.includes(key));
  if (common.length > 0) return common.map((key) => ({ model: key, baselineModel: key }));
  const [onlyMine, onlyTheirs] = [mine[0], theirs[0]];
  const isOneEach = mine.length === 1 && theirs.length === 1;
  if (!isOneEach || onlyMine === undefined || onlyTheirs === undefined) return [];
  return [{ model: onlyMine, baselineModel: onlyTheirs }];
}

const keysOf = ({ models }: Outcomes): ModelKey[] => [...models.keys()];
