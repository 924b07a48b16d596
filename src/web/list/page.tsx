import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect } from "react";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { formatCost, formatDuration, formatTime } from "../../domain/format.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { useTitle } from "../data/browser.ts";
import { totalCost } from "../data/models.ts";
import { plainText } from "../data/plain-text.ts";
import { evaluationQuery, evaluationsQuery } from "../data/queries.ts";
import type { EvaluationView, StatsByModel } from "../data/source.ts";
import { useSource } from "../data/source-context.tsx";
import { AccuracyBars } from "../evaluation/charts.tsx";
import { ColumnHeads } from "../evaluation/grid.tsx";
import { Crash, Loading } from "../parts/crash.tsx";
import { StatusBadge } from "../parts/marks.tsx";
import { StartButton } from "./start.tsx";

const route = getRouteApi("/");

/** How far back a search goes by itself. */
const MOST_SEARCHED = 1_000;
const ENOUGH_FOUND = 20;

/** All evaluations, newest first. */
export function EvaluationsPage() {
  useTitle("Evaluations");
  const source = useSource();
  const { q = "" } = route.useSearch();
  const search = readSearch(q);
  const list = useInfiniteQuery(evaluationsQuery(source, search.tag));
  const { hasNextPage, isFetching, isError, fetchNextPage } = list;
  const records = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const found = records.filter((record) => fitsSearch(record, search));
  const goesOn =
    search.words.length > 0 && found.length < ENOUGH_FOUND && records.length < MOST_SEARCHED && hasNextPage;
  useEffect(() => {
    if (goesOn && !isFetching && !isError) void fetchNextPage();
  }, [goesOn, isFetching, isError, fetchNextPage]);
  return (
    <>
      <div className="bar apart">
        <h1>Evaluations</h1>
        <div className="bar">
          <SearchBox typed={q} />
          <StartButton />
        </div>
      </div>
      {isError ? <Crash error={list.error} /> : null}
      {list.isPending ? <Loading /> : null}
      {list.isSuccess && found.length === 0 && !goesOn ? <Nothing isSearch={q !== ""} /> : null}
      {found.length > 0 ? <EvaluationTable records={found} /> : null}
      {hasNextPage ? (
        <button type="button" disabled={list.isFetchingNextPage} onClick={() => fetchNextPage()}>
          Show older ones
        </button>
      ) : null}
    </>
  );
}

function SearchBox({ typed }: { readonly typed: string }) {
  const navigate = route.useNavigate();
  return (
    <input
      type="search"
      value={typed}
      aria-label="Search evaluations"
      placeholder="name, model, status or tag"
      onChange={({ target: { value } }) =>
        navigate({ search: value === "" ? {} : { q: value }, replace: true, resetScroll: false })
      }
    />
  );
}

const isRunning = ({ status }: EvaluationRecord): boolean => status === "running";

function Nothing({ isSearch }: { readonly isSearch: boolean }) {
  if (isSearch) return <p className="empty">No evaluation fits.</p>;
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

const COLUMNS = ["Evaluation", "Status", "Accuracy", "Runs", "Cost", "Duration", "Started"];

function EvaluationTable({ records }: { readonly records: readonly EvaluationRecord[] }) {
  return (
    <div className="card scroll-x">
      <table className="rows">
        <ColumnHeads names={COLUMNS} numbers={["Runs", "Cost", "Duration"]} />
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
  const planned = models.length * problemCount * trials;
  return { evaluation, stats, progress: { finished, planned }, spent: null };
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
              {plainText(tag)}
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
      <td className="number" data-title="Runs">
        {progress.planned}
      </td>
      <td className="number" data-title="Cost">
        {formatCost(costUsd, runsWithUnknownCost)}
      </td>
      <td className="number" data-title="Duration">
        {formatDuration((endedAt - Date.parse(evaluation.startedAt)) / 1_000)}
      </td>
      <td className="small" data-title="Started">
        {formatTime(evaluation.startedAt)}
      </td>
    </tr>
  );
}

interface EvaluationSearch {
  /** Looked for by the server, among all there are. */
  readonly tag: string | null;
  /** Each is somewhere in the id, the name, a tag, a model or the status. */
  readonly words: readonly string[];
}

/** `tag:nightly capit` is a tag, and the beginning of something. */
function readSearch(typed: string): EvaluationSearch {
  const all = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const tag = /(?:^|\s)tag:(\S+)/i.exec(typed)?.[1] ?? null;
  return { tag, words: all.filter((word) => !word.startsWith("tag:")) };
}

function fitsSearch(
  { id, name, tags, models, status }: EvaluationRecord,
  { words }: EvaluationSearch,
): boolean {
  const keys = models.map(({ providerKey, model }) => `${providerKey}/${model}`);
  const texts = [id, name, status, ...tags, ...keys].map((text) => text.toLowerCase());
  return words.every((word) => texts.some((text) => text.includes(word)));
}
