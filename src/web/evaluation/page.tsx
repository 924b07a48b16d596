import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useDeferredValue, useMemo } from "react";
import { useTitle } from "../data/browser.ts";
import { filterRows, type RunFilter, type VerdictGrid } from "../data/grid.ts";
import { evaluationQuery, useFindings, useGrid } from "../data/queries.ts";
import { type ShownEvaluation, useSource } from "../data/source.ts";
import { ShowQuery } from "../parts/crash.tsx";
import { CostScatter } from "./charts.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { ProblemGrid } from "./grid.tsx";
import { EvaluationHead } from "./head.tsx";
import { Leaderboard } from "./leaderboard.tsx";
import { Differences, Slices } from "./slices.tsx";

const route = getRouteApi("/evaluations/$id");

/** Shows one evaluation: who is best, at what price, and on which problems. */
export function EvaluationDetailsPage() {
  const { id } = route.useParams();
  useTitle(id);
  const query = useQuery(evaluationQuery(useSource(), id));
  return <ShowQuery query={query}>{(evaluation) => <Whole evaluation={evaluation} />}</ShowQuery>;
}

function Whole({ evaluation }: { readonly evaluation: ShownEvaluation }) {
  const { id, stats, trials, status } = evaluation;
  const grid = useGrid(evaluation);
  const findings = useFindings(evaluation, grid);
  // Runs that are to be run again count in the grid until they end, and no more in the stats.
  const settled = status === "running" ? null : findings;
  const [aModel, bModel] = grid.shape.models;
  const sides = { a: id, b: id, ...(aModel ? { aModel } : {}), ...(bModel ? { bModel } : {}) };
  return (
    <>
      <EvaluationHead evaluation={evaluation} />
      <section className="card" aria-labelledby="leaderboard">
        <h2 id="leaderboard">Leaderboard</h2>
        <Leaderboard stats={stats} trials={trials} findings={settled} />
        <p className="small">
          <Link to="/compare" search={sides}>
            Compare two models, or another evaluation, side by side
          </Link>
        </p>
      </section>
      <div className="halves">
        <section className="card" aria-labelledby="scatter">
          <h2 id="scatter">Accuracy and cost</h2>
          <CostScatter stats={stats} trials={trials} findings={settled} name={id} />
        </section>
        <section className="card" aria-labelledby="differences">
          <h2 id="differences">Is the difference real?</h2>
          <Differences id={id} findings={findings} />
        </section>
      </div>
      {findings === null ? null : <Slices models={findings.models} />}
      <Problems evaluation={evaluation} grid={grid} />
    </>
  );
}

interface ProblemsProps {
  readonly evaluation: ShownEvaluation;
  readonly grid: VerdictGrid;
}

function Problems({ evaluation, grid }: ProblemsProps) {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const { rows, shape, isWhole } = grid;
  const wanted = useDeferredValue(filter);
  const shown = useMemo(() => filterRows(rows, shape, wanted), [rows, shape, wanted]);
  const tags = useMemo(() => [...new Set(rows.flatMap((row) => row.tags))].sort(), [rows]);
  const causes = [
    ...new Set(Object.values(evaluation.stats).flatMap((of) => Object.keys(of.failuresByCause))),
  ].sort();
  const change = (next: RunFilter) => navigate({ search: next, replace: true, resetScroll: false });
  return (
    <section className="card" aria-labelledby="problems">
      <div className="bar apart">
        <h2 id="problems">Problems</h2>
        <span className="small quiet" role="status">
          {shown.length} of {evaluation.problemCount}
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
        <p className="empty">No matches.</p>
      ) : (
        <ProblemGrid evaluationId={evaluation.id} rows={shown} shape={shape} filter={filter} />
      )}
      <p className="small quiet">
        <span className="right">✓</span> correct <span className="wrong">✗</span> wrong{" "}
        <span className="failed">!</span> failed <span className="open">?</span> not scored{" "}
        <span className="open">·</span> not run yet. Click a cell to open its run.
      </p>
    </section>
  );
}
