import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import { formatCost } from "../../domain/show/format-cost.ts";
import { formatDuration } from "../../domain/show/format-duration.ts";
import { formatTime } from "../../domain/show/format-time.ts";
import { evaluationQuery } from "../data/queries.ts";
import type { EvaluationQuery, EvaluationView, StatsByModel } from "../data/source.ts";
import { useSource } from "../data/source-context.tsx";
import { totalCost } from "../data/total-cost.ts";
import { useTitle } from "../data/use-title.ts";
import { AccuracyBars } from "../parts/accuracy-bars.tsx";
import { Crash } from "../parts/crash.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";

const route = getRouteApi("/");

/** All evaluations, newest first. */
export function EvaluationsPage() {
  useTitle("Evaluations");
  const source = useSource();
  const { q = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const found = useInfiniteQuery({
    queryKey: ["evaluations", q],
    queryFn: ({ pageParam, signal }) => source.evaluations({ ...readQuery(q), ...pageParam }, signal),
    initialPageParam: {},
    getNextPageParam: ({ next }) => (next === null ? undefined : { cursor: next }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isRunning)) ? 3_000 : 15_000,
  });
  const records = found.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <div className="bar apart">
        <h1>Evaluations</h1>
        <input
          type="search"
          value={q}
          aria-label="Search by name, or by tag with tag:"
          placeholder="name, or tag:nightly"
          onChange={({ target }) =>
            navigate({ search: target.value === "" ? {} : { q: target.value }, replace: true })
          }
        />
      </div>
      {found.isError ? <Crash error={found.error} /> : null}
      {found.isSuccess && records.length === 0 ? <Nothing isSearch={q !== ""} /> : null}
      {records.length > 0 ? <EvaluationTable records={records} /> : null}
      {found.hasNextPage ? (
        <button type="button" disabled={found.isFetchingNextPage} onClick={() => found.fetchNextPage()}>
          Show older ones
        </button>
      ) : null}
    </>
  );
}

/** `tag:nightly capitals` is a tag and a name. */
function readQuery(words: string): EvaluationQuery {
  const tag = /(?:^|\s)tag:(\S+)/.exec(words)?.[1];
  const name = words.replace(/(?:^|\s)tag:\S*/, " ").trim();
  return { ...(tag === undefined ? {} : { tag }), ...(name === "" ? {} : { name }) };
}

const isRunning = ({ status }: EvaluationRecord): boolean => status === "running";

function Nothing({ isSearch }: { readonly isSearch: boolean }) {
  if (isSearch) return <p className="empty">No evaluation has this name or tag.</p>;
  return (
    <div className="empty">
      <p>There is no evaluation yet.</p>
      <p>
        <code>agent-evaluator init</code> writes a first one, and{" "}
        <code>agent-evaluator run evals/first.eval.ts</code> runs it; it appears here while it runs.
      </p>
    </div>
  );
}

function EvaluationTable({ records }: { readonly records: readonly EvaluationRecord[] }) {
  return (
    <div className="card scroll-x">
      <table>
        <thead>
          <tr>
            <th scope="col">Evaluation</th>
            <th scope="col">Status</th>
            <th scope="col">Accuracy</th>
            <th scope="col" className="number">
              Runs
            </th>
            <th scope="col" className="number">
              Cost
            </th>
            <th scope="col" className="number">
              Duration
            </th>
            <th scope="col">Started</th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) =>
            isRunning(record) ? (
              <LiveLine key={record.id} record={record} />
            ) : (
              <EvaluationLine key={record.id} view={viewOf(record)} />
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

/** One that runs is asked for by itself, for its progress. */
function LiveLine({ record }: { readonly record: EvaluationRecord }) {
  const { data } = useQuery(evaluationQuery(useSource(), record.id));
  return <EvaluationLine view={data ?? viewOf(record)} />;
}

function viewOf(evaluation: EvaluationRecord): EvaluationView {
  const { models, problemCount, trials } = evaluation;
  const stats = evaluation.stats ?? ({} as StatsByModel);
  const finished = Object.values<ModelStats>(stats).reduce((sum, of) => sum + of.finished, 0);
  return { evaluation, stats, progress: { finished, planned: models.length * problemCount * trials } };
}

function EvaluationLine({ view }: { readonly view: EvaluationView }) {
  const { evaluation, stats, progress } = view;
  const { costUsd, runsWithUnknownCost } = totalCost(stats);
  const endedAt = evaluation.endedAt === null ? Date.now() : Date.parse(evaluation.endedAt);
  return (
    <tr>
      <td>
        <Link className="name" to="/evaluations/$id" params={{ id: evaluation.id }}>
          {evaluation.id}
        </Link>
        <div className="small">
          <Link to="/definitions/$name" params={{ name: evaluation.name }}>
            {evaluation.name} over time
          </Link>{" "}
          {evaluation.tags.map((tag) => (
            <Link key={tag} className="tag" to="/" search={{ q: `tag:${tag}` }}>
              {tag}
            </Link>
          ))}
        </div>
      </td>
      <td>
        <StatusBadge view={view} />
      </td>
      <td>
        <AccuracyBars stats={stats} />
      </td>
      <td className="number">{progress.planned}</td>
      <td className="number">{formatCost(costUsd, runsWithUnknownCost)}</td>
      <td className="number">{formatDuration((endedAt - Date.parse(evaluation.startedAt)) / 1_000)}</td>
      <td className="small">{formatTime(evaluation.startedAt)}</td>
    </tr>
  );
}
