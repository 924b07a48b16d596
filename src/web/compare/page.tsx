import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTitle } from "../data/browser.ts";
import { modelKeys } from "../data/models.ts";
import { plainText } from "../data/plain-text.ts";
import { evaluationQuery, evaluationsQuery } from "../data/queries.ts";
import type { EvaluationView } from "../data/source.ts";
import { useSource } from "../data/source-context.tsx";
import { useGrid } from "../evaluation/use-grid.ts";
import { Asked } from "../run/run-view.tsx";
import { pairRows } from "./pair-rows.ts";
import { PairVerdict } from "./pair-verdict.tsx";
import { PairList } from "./pairs.tsx";
import { TwoRuns } from "./two-runs.tsx";

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

interface SideChoiceProps {
  readonly title: string;
  readonly view: EvaluationView;
  readonly model: string;
  /** A null model is the first one that the evaluation has. */
  readonly onChange: (id: string, model: string | null) => void;
}

/** Which evaluation, and which of its models, stands on one side. */
function SideChoice({ title, view, model, onChange }: SideChoiceProps) {
  const source = useSource();
  const { mayAct } = source;
  const { data } = useInfiniteQuery(evaluationsQuery(source, null));
  const recent = data?.pages.flatMap(({ items }) => items.map((item) => item.id)) ?? [];
  const { id } = view.evaluation;
  const [typed, setTyped] = useState<string>(id);
  return (
    <form
      className="card filters"
      aria-label={`Side ${title}`}
      onSubmit={(event) => {
        event.preventDefault();
        onChange(typed.trim(), null);
      }}
    >
      <label>
        {title}: evaluation
        <input
          type="text"
          list={`evaluations-${title}`}
          value={typed}
          readOnly={!mayAct}
          onChange={({ target }) => {
            setTyped(target.value);
            // One that is on the list was chosen, not typed.
            if (recent.some((known) => known === target.value)) onChange(target.value, null);
          }}
        />
        <datalist id={`evaluations-${title}`}>
          {recent.map((evaluation) => (
            <option key={evaluation} value={evaluation} />
          ))}
        </datalist>
      </label>
      {typed.trim() === id ? null : <button type="submit">Show</button>}
      <label>
        Model
        <select value={model} onChange={({ target }) => onChange(id, target.value)}>
          {modelKeys(view.evaluation).map((key) => (
            <option key={key} value={key}>
              {plainText(key)}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}
