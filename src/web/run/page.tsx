import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { useTitle } from "../data/browser.ts";
import { readVerdict } from "../data/display.ts";
import { filterRows, type GridRow, type GridShape, type RunFilter } from "../data/grid.ts";
import { evaluationQuery, roundsQuery, useGrid } from "../data/queries.ts";
import { type ShownEvaluation, useSource } from "../data/source.ts";
import { Crash, ShowQuery } from "../parts/crash.tsx";
import { RunDetails } from "./run-view.tsx";

const route = getRouteApi("/evaluations/$id/runs/$runId");

/** Shows one run: problem, answer and transcript. */
export function RunPage() {
  const { id, runId } = route.useParams();
  const filter = route.useSearch();
  useTitle(`Run ${runId} of ${id}`);
  const source = useSource();
  const evaluation = useQuery(evaluationQuery(source, id));
  const rounds = useQuery(roundsQuery(source, id, runId, evaluation.data?.round));
  return (
    <>
      <div className="bar apart small">
        <Link to="/evaluations/$id" params={{ id }} search={filter}>
          ↑ {id}
        </Link>
        {evaluation.data === undefined ? null : <RunNavigation evaluation={evaluation.data} runId={runId} />}
      </div>
      {evaluation.isError ? <Crash error={evaluation.error} /> : null}
      <ShowQuery query={rounds}>{(entries) => <Rounds entries={entries} />}</ShowQuery>
    </>
  );
}

function Rounds({ entries }: { readonly entries: readonly LogEntry[] }) {
  const [chosen, setChosen] = useState<number | null>(null);
  const entry = entries.find(({ round }) => round === chosen) ?? entries.at(-1);
  if (entry === undefined) return <p className="empty">This run has not ended yet.</p>;
  return (
    <>
      {entries.length > 1 ? (
        <label className="small">
          Round{" "}
          <select value={entry.round} onChange={({ target }) => setChosen(Number(target.value))}>
            {entries.map(({ round, failure }) => (
              <option key={round} value={round}>
                {round}
                {failure === null ? "" : ` (${failure.cause})`}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {entry.recheckOf === null ? null : (
        <p className="small quiet">
          No agent ran in this round: it checks the result of{" "}
          <button type="button" className="link" onClick={() => setChosen(entry.recheckOf)}>
            round {entry.recheckOf}
          </button>{" "}
          again.
        </p>
      )}
      <RunDetails entry={entry} />
    </>
  );
}

interface RunNavigationProps {
  readonly evaluation: ShownEvaluation;
  readonly runId: string;
}

/** Leads to the runs before and after this one, by mouse and by keys. */
function RunNavigation({ evaluation, runId }: RunNavigationProps) {
  const { id } = evaluation;
  const filter = route.useSearch();
  const { previous, next } = useNeighbours(evaluation, Number(runId), filter);
  const navigate = useNavigate();
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const number = { j: next, ArrowRight: next, k: previous, ArrowLeft: previous }[event.key] ?? null;
      if (number !== null) {
        const params = { id, runId: String(number) };
        void navigate({ to: "/evaluations/$id/runs/$runId", params, search: filter });
      }
      if (event.key === "Escape" || event.key === "u") {
        void navigate({ to: "/evaluations/$id", params: { id }, search: filter });
      }
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [navigate, id, filter, previous, next]);
  return (
    <nav className="bar small" aria-label="Runs">
      <Neighbour id={id} number={previous} words="← previous" />
      <Neighbour id={id} number={next} words="next →" />
      <span className="quiet">
        <kbd className="tag">k</kbd> <kbd className="tag">j</kbd> previous and next,{" "}
        <kbd className="tag">u</kbd> up
      </span>
    </nav>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.matches("input, textarea, select, pre") || target.isContentEditable);

interface NeighbourProps {
  readonly id: string;
  readonly number: number | null;
  readonly words: string;
}

function Neighbour({ id, number, words }: NeighbourProps) {
  const filter = route.useSearch();
  if (number === null) return <span className="quiet">{words}</span>;
  return (
    <Link to="/evaluations/$id/runs/$runId" params={{ id, runId: String(number) }} search={filter}>
      {words}
    </Link>
  );
}

/** Finds the runs before and after one, among those that the filter shows. */
function useNeighbours(evaluation: ShownEvaluation, number: number, filter: RunFilter) {
  const { rows, shape } = useGrid(evaluation);
  return useMemo(() => {
    const numbers = filterRows(rows, shape, filter).flatMap((row) => runNumbers(row, shape, filter));
    const after = numbers.findIndex((other) => other > number);
    const before = numbers.findLast((other) => other < number);
    return { previous: before ?? null, next: numbers[after] ?? null };
  }, [rows, shape, filter, number]);
}

function runNumbers(
  { place, verdicts }: GridRow,
  { models, trials }: GridShape,
  filter: RunFilter,
): number[] {
  return [...verdicts].flatMap((letter, index) => {
    const { outcome, cause } = readVerdict(letter);
    const isWanted =
      (filter.model === undefined || models[Math.floor(index / trials)] === filter.model) &&
      (filter.cause === undefined || cause === filter.cause) &&
      (filter.outcome === undefined ||
        filter.outcome === "differs" ||
        filter.outcome === "flaky" ||
        outcome === filter.outcome);
    return isWanted ? [place * verdicts.length + index] : [];
  });
}
