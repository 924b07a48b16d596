import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { verdictOf } from "../../domain/run/verdict.ts";
import { useTitle } from "../data/browser.ts";
import { keyOf, modelKeys, plainText } from "../data/display.ts";
import type { ComparedGrid } from "../data/findings.ts";
import { pairRows, type VerdictGrid } from "../data/grid.ts";
import { bodyQuery, evaluationQuery, evaluationsQuery, roundsQuery, useGrid } from "../data/queries.ts";
import { type ShownEvaluation, useSource } from "../data/source.ts";
import { asOption, Choice } from "../evaluation/filter-bar.tsx";
import { ShowQuery } from "../parts/crash.tsx";
import { VerdictMark } from "../parts/marks.tsx";
import { AnswerDetails } from "../run/run-view.tsx";
import { Transcript } from "../run/transcript.tsx";
import { PairList, PairVerdict } from "./pairs.tsx";

const route = getRouteApi("/compare");

/** Shows two models, or two evaluations, problem by problem: those on which they differ first. */
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
    <ShowQuery query={first}>
      {(evaluationA) => (
        <ShowQuery query={second}>
          {(evaluationB) => <BothSides evaluationA={evaluationA} evaluationB={evaluationB} />}
        </ShowQuery>
      )}
    </ShowQuery>
  );
}

interface BothSidesProps {
  readonly evaluationA: ShownEvaluation;
  readonly evaluationB: ShownEvaluation;
}

function BothSides({ evaluationA, evaluationB }: BothSidesProps) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const gridA = useGrid(evaluationA);
  const gridB = useGrid(evaluationB);
  const modelA = search.aModel ?? modelKeys(evaluationA)[0] ?? "";
  const modelB = search.bModel ?? modelKeys(evaluationB).at(-1) ?? "";
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
          evaluation={evaluationA}
          model={modelA}
          onChange={(id, model) => change({ a: id, ...(model === null ? {} : { aModel: model }) })}
        />
        <SideChoice
          title="B"
          evaluation={evaluationB}
          model={modelB}
          onChange={(id, model) => change({ b: id, ...(model === null ? {} : { bModel: model }) })}
        />
      </div>
      {gridA.isWhole && gridB.isWhole ? (
        <PairVerdict a={sideOf(evaluationA, gridA, modelA)} b={sideOf(evaluationB, gridB, modelB)} />
      ) : null}
      <PairList pairs={pairs} chosen={chosen?.id ?? null} onChoose={(problem) => change({ problem })} />
      {chosen === undefined ? null : (
        <div className="halves">
          <SideRun id={evaluationA.id} number={chosen.numberA} />
          <SideRun id={evaluationB.id} number={chosen.numberB} />
        </div>
      )}
    </>
  );
}

const sideOf = (
  { id, status }: ShownEvaluation,
  { rows, shape }: VerdictGrid,
  model: string,
): ComparedGrid => ({
  id,
  rows,
  shape,
  model,
  isRunning: status === "running",
});

interface SideChoiceProps {
  readonly title: string;
  readonly evaluation: ShownEvaluation;
  readonly model: string;
  /** A null model is the first one that the evaluation has. */
  readonly onChange: (id: string, model: string | null) => void;
}

/** Chooses the evaluation, and the model of it, for one side. */
function SideChoice({ title, evaluation, model, onChange }: SideChoiceProps) {
  const source = useSource();
  const { mayAct } = source;
  const { data } = useInfiniteQuery(evaluationsQuery(source, null));
  const recent = data?.pages.flatMap(({ evaluations }) => evaluations.map((each) => each.id)) ?? [];
  const { id } = evaluation;
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
      <label className="field">
        {title}: evaluation
        <input
          type="text"
          list={`evaluations-${title}`}
          value={typed}
          readOnly={!mayAct}
          onChange={({ target }) => {
            setTyped(target.value);
            // An id from the list was chosen, not typed.
            if (recent.some((known) => known === target.value)) onChange(target.value, null);
          }}
        />
        <datalist id={`evaluations-${title}`}>
          {recent.map((known) => (
            <option key={known} value={known} />
          ))}
        </datalist>
      </label>
      {typed.trim() === id ? null : <button type="submit">Show</button>}
      <Choice
        label="Model"
        value={model}
        isOne
        options={modelKeys(evaluation).map(asOption)}
        onChange={(key) => onChange(id, key)}
      />
    </form>
  );
}

interface SideRunProps {
  readonly id: string;
  readonly number: number;
}

function SideRun({ id, number }: SideRunProps) {
  const query = useQuery(roundsQuery(useSource(), id, String(number)));
  return (
    <section className="card">
      <ShowQuery query={query}>
        {(rounds) => {
          const entry = rounds.at(-1);
          if (entry === undefined) return <p className="empty">This run has not ended yet.</p>;
          return <Entry entry={entry} />;
        }}
      </ShowQuery>
    </section>
  );
}

function Entry({ entry }: { readonly entry: LogEntry }) {
  const { evaluationId, index } = entry;
  const body = useQuery(bodyQuery(useSource(), entry));
  return (
    <>
      <div className="bar">
        <VerdictMark letter={verdictOf(entry)} />
        <h2>
          <Link to="/evaluations/$id/runs/$runId" params={{ id: evaluationId, runId: String(index) }}>
            {plainText(keyOf(entry))}
          </Link>
        </h2>
      </div>
      <AnswerDetails entry={entry} whole={body.data?.result ?? null} />
      <ShowQuery query={body}>{(loaded) => <Transcript steps={loaded?.transcript ?? []} />}</ShowQuery>
    </>
  );
}
