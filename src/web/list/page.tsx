import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect } from "react";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { formatTime } from "../../domain/format.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { useTitle } from "../data/browser.ts";
import { durationOf, modelKeys, plainText, totalCost } from "../data/display.ts";
import { evaluationQuery, evaluationsQuery } from "../data/queries.ts";
import { type ShownEvaluation, useSource } from "../data/source.ts";
import { Crash, Loading } from "../parts/crash.tsx";
import { AccuracyBars, ColumnHeads, StatusBadge } from "../parts/marks.tsx";
import { StartButton } from "./start.tsx";

const route = getRouteApi("/");

/** A search loads older evaluations by itself, up to here. */
const MOST_SEARCHED = 1_000;
const ENOUGH_FOUND = 20;

/** Lists all evaluations, newest first. */
export function EvaluationsPage() {
  useTitle("Evaluations");
  const source = useSource();
  const { q = "" } = route.useSearch();
  const search = readSearchBox(q);
  const list = useInfiniteQuery(evaluationsQuery(source, search.tag));
  const { hasNextPage, isFetching, isError, fetchNextPage } = list;
  const records = list.data?.pages.flatMap(({ evaluations }) => evaluations) ?? [];
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

function Nothing({ isSearch }: { readonly isSearch: boolean }) {
  if (isSearch) return <p className="empty">No matches.</p>;
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
            record.status === "running" ? (
              <LiveLine key={record.id} record={record} />
            ) : (
              <EvaluationLine key={record.id} evaluation={withProgress(record)} />
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

/** Reads an evaluation that runs by itself, for its progress. */
function LiveLine({ record }: { readonly record: EvaluationRecord }) {
  const { data } = useQuery(evaluationQuery(useSource(), record.id));
  return <EvaluationLine evaluation={data ?? withProgress(record)} />;
}

function withProgress(record: EvaluationRecord): ShownEvaluation {
  const stats = record.stats ?? {};
  const finished = Object.values<ModelStats>(stats).reduce((sum, of) => sum + of.finished, 0);
  const total = record.models.length * record.problemCount * record.trials;
  return { ...record, stats, progress: { finished, total }, spent: null };
}

function EvaluationLine({ evaluation }: { readonly evaluation: ShownEvaluation }) {
  const { stats, status, progress } = evaluation;
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
        <StatusBadge status={status} progress={progress} />
      </td>
      <td>
        <AccuracyBars stats={stats} />
      </td>
      <td className="number" data-title="Runs">
        {progress.total}
      </td>
      <td className="number" data-title="Cost">
        {totalCost(stats)}
      </td>
      <td className="number" data-title="Duration">
        {durationOf(evaluation)}
      </td>
      <td className="small" data-title="Started">
        {formatTime(evaluation.startedAt)}
      </td>
    </tr>
  );
}

interface EvaluationSearch {
  /** The server searches for it, in all evaluations. */
  readonly tag: string | null;
  /** Each has to be part of the id, the name, a tag, a model or the status. */
  readonly words: readonly string[];
}

/** Reads `tag:nightly capit` as a tag and a word. */
function readSearchBox(typed: string): EvaluationSearch {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const tag = /(?:^|\s)tag:(\S+)/i.exec(typed)?.[1] ?? null;
  return { tag, words: words.filter((word) => !word.startsWith("tag:")) };
}

function fitsSearch(record: EvaluationRecord, { words }: EvaluationSearch): boolean {
  const { id, name, status, tags } = record;
  const texts = [id, name, status, ...tags, ...modelKeys(record)].map((text) => text.toLowerCase());
  return words.every((word) => texts.some((text) => text.includes(word)));
}
