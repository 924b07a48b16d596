import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useDeferredValue, useMemo } from "react";
import { PairLinks } from "../compare/pairs.tsx";
import { useTitle } from "../data/browser.ts";
import { evaluationQuery } from "../data/queries.ts";
import { filterRows, type Grid, type RunFilter } from "../data/run-filter.ts";
import type { EvaluationView } from "../data/source.ts";
import { useSource } from "../data/source-context.tsx";
import { useFindings } from "../data/use-findings.ts";
import { Asked } from "../run/run-view.tsx";
import { CostScatter } from "./charts.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { ProblemGrid } from "./grid.tsx";
import { EvaluationHead } from "./head.tsx";
import { Leaderboard } from "./leaderboard.tsx";
import { Differences, Slices } from "./slices.tsx";
import { useGrid } from "./use-grid.ts";

const route = getRouteApi("/evaluations/$id");

/** One evaluation: who is best, at what price, and on which problems. */
export function EvaluationPage() {
  const { id } = route.useParams();
  useTitle(id);
  const query = useQuery(evaluationQuery(useSource(), id));
  return <Asked query={query}>{(view) => <Whole view={view} />}</Asked>;
}

function Whole({ view }: { readonly view: EvaluationView }) {
  const { evaluation, stats } = view;
  const grid = useGrid(view);
  const findings = useFindings(view, grid);
  return (
    <>
      <EvaluationHead view={view} />
      <section className="card" aria-labelledby="leaderboard">
        <h2 id="leaderboard">Leaderboard</h2>
        <Leaderboard stats={stats} findings={findings} />
        <PairLinks evaluation={evaluation} />
      </section>
      <div className="halves">
        <section className="card" aria-labelledby="scatter">
          <h2 id="scatter">Accuracy and cost</h2>
          <CostScatter stats={stats} name={evaluation.id} />
        </section>
        <section className="card" aria-labelledby="differences">
          <h2 id="differences">Is the difference real?</h2>
          <Differences evaluation={evaluation} findings={findings} />
        </section>
      </div>
      {findings === null ? null : <Slices models={findings.models} />}
      <Problems view={view} grid={grid} />
    </>
  );
}

function Problems({ view, grid }: { readonly view: EvaluationView; readonly grid: Grid }) {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const { rows, shape, isWhole } = grid;
  const wanted = useDeferredValue(filter);
  const shown = useMemo(() => filterRows(rows, shape, wanted), [rows, shape, wanted]);
  const tags = useMemo(() => [...new Set(rows.flatMap((row) => row.tags))].sort(), [rows]);
  const causes = [
    ...new Set(Object.values(view.stats).flatMap((of) => Object.keys(of.failuresByCause))),
  ].sort();
  const change = (next: RunFilter) => navigate({ search: next, replace: true, resetScroll: false });
  return (
    <section className="card" aria-labelledby="problems">
      <div className="bar apart">
        <h2 id="problems">Problems</h2>
        <span className="small quiet" role="status">
          {shown.length} of {view.evaluation.problemCount}
          {isWhole ? "" : " …"}
        </span>
      </div>
      <FilterBar
        filter={filter}
        onChange={change}
        models={shape.models}
        causes={causes}
        tags={tags}
        hasTrials={shape.trials > 1}
      />
      {shown.length === 0 && isWhole ? (
        <p className="empty">No problem fits.</p>
      ) : (
        <ProblemGrid evaluationId={view.evaluation.id} rows={shown} shape={shape} filter={filter} />
      )}
      <p className="small quiet">
        <span className="right">✓</span> right <span className="wrong">✗</span> wrong{" "}
        <span className="failed">!</span> failed <span className="open">?</span> not scored{" "}
        <span className="open">·</span> not run yet. A cell opens its run.
      </p>
    </section>
  );
}
