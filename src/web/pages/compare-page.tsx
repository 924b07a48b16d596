import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { modelKeys } from "../data/model-keys.ts";
import { pairRows } from "../data/pair-rows.ts";
import { evaluationQuery } from "../data/queries.ts";
import type { EvaluationView } from "../data/source.ts";
import { useSource } from "../data/source-context.tsx";
import { useGrid } from "../data/use-grid.ts";
import { useTitle } from "../data/use-title.ts";
import { Asked } from "../parts/asked.tsx";
import { PairList } from "../parts/pair-list.tsx";
import { PairVerdict } from "../parts/pair-verdict.tsx";
import { SideChoice } from "../parts/side-choice.tsx";
import { TwoRuns } from "../parts/two-runs.tsx";

const route = getRouteApi("/compare");

/** Two models, or two evaluations, problem by problem: those on which they differ first. */
export function ComparePage() {
  useTitle("Side by side");
  const { a, b } = route.useSearch();
  return (
    <>
      <h1>Side by side</h1>
      {a === undefined ? (
        <p className="empty">Choose an evaluation first, on its own page.</p>
      ) : (
        <Sides a={a} b={b ?? a} />
      )}
    </>
  );
}

function Sides({ a, b }: { readonly a: string; readonly b: string }) {
  const source = useSource();
  const first = useQuery(evaluationQuery(source, a));
  const second = useQuery(evaluationQuery(source, b));
  return (
    <Asked query={first}>
      {(viewA) => <Asked query={second}>{(viewB) => <Compared viewA={viewA} viewB={viewB} />}</Asked>}
    </Asked>
  );
}

function Compared({ viewA, viewB }: { readonly viewA: EvaluationView; readonly viewB: EvaluationView }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const gridA = useGrid(viewA);
  const gridB = useGrid(viewB);
  const modelA = search.aModel ?? modelKeys(viewA.evaluation)[0] ?? "";
  const modelB = search.bModel ?? modelKeys(viewB.evaluation).at(-1) ?? "";
  const pairs = useMemo(
    () => pairRows({ ...gridA, model: modelA }, { ...gridB, model: modelB }),
    [gridA, gridB, modelA, modelB],
  );
  const chosen = pairs.find(({ id }) => id === search.problem) ?? pairs[0];
  const change = (next: Partial<typeof search>) =>
    navigate({ search: { ...search, ...next }, replace: true, resetScroll: false });
  return (
    <>
      <div className="halves">
        <SideChoice
          title="A"
          view={viewA}
          model={modelA}
          onChange={(id, model) => change({ a: id, ...(model === null ? {} : { aModel: model }) })}
        />
        <SideChoice
          title="B"
          view={viewB}
          model={modelB}
          onChange={(id, model) => change({ b: id, ...(model === null ? {} : { bModel: model }) })}
        />
      </div>
      <PairVerdict pairs={pairs} nameA={modelA} nameB={modelB} />
      <PairList pairs={pairs} chosen={chosen?.id ?? null} onChoose={(problem) => change({ problem })} />
      {chosen === undefined ? null : (
        <TwoRuns
          a={{ id: viewA.evaluation.id, number: chosen.numberA }}
          b={{ id: viewB.evaluation.id, number: chosen.numberB }}
        />
      )}
    </>
  );
}
