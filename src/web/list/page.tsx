import { useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect } from "react";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { formatTime } from "../../domain/format.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { useTitle } from "../data/browser.ts";
import { durationOf, modelKeys, plainText, totalCost } from "../data/display.ts";
import { evaluationQuery, evaluationsQuery } from "../data/queries.ts";
import { type ShownEvaluation, type TrendPoint, useSource } from "../data/source.ts";
import { Crash, Loading } from "../parts/crash.tsx";
import { AccuracyBars, StatusBadge } from "../parts/marks.tsx";
import { Table, type TableColumn } from "../parts/table.tsx";
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
      <p>There are no evaluations yet.</p>
      <p>
        <code>agent-evaluator init</code> writes a first one, and{" "}
        <code>agent-evaluator run evals/first.eval.ts</code> runs it; it appears here while it runs.
      </p>
    </div>
  );
}

/** Shows evaluations; those that run are read again by themselves, for their progress. */
function EvaluationTable({ records }: { readonly records: readonly EvaluationRecord[] }) {
  const source = useSource();
  const running = records.filter(({ status }) => status === "running");
  const live = useQueries({ queries: running.map(({ id }) => evaluationQuery(source, id)) });
  const isOf = (id: string) => (seen: ShownEvaluation) => seen.id === id;
  const seen = live.flatMap(({ data }) => data ?? []);
  return (
    <div className="card">
      <Table
        name="Evaluations"
        className="cards"
        rows={records.map((record) => seen.find(isOf(record.id)) ?? withProgress(record))}
        keyOf={({ id }) => id}
        columns={[
          { title: "Evaluation", cell: (evaluation) => <Name evaluation={evaluation} /> },
          { title: "Status", cell: (evaluation) => <StatusBadge {...evaluation} /> },
          ACCURACY,
          { title: "Runs", cell: ({ progress }) => progress.total, isNumber: true },
          COST,
          { title: "Duration", cell: durationOf, isNumber: true },
          STARTED,
        ]}
      />
    </div>
  );
}

export const ACCURACY: TableColumn<TrendPoint> = {
  title: "Accuracy",
  cell: ({ stats }) => <AccuracyBars stats={stats} />,
};
export const COST: TableColumn<TrendPoint> = {
  title: "Cost",
  cell: ({ stats }) => totalCost(stats),
  isNumber: true,
};
export const STARTED: TableColumn<TrendPoint> = {
  title: "Started",
  cell: ({ startedAt }) => <span className="small">{formatTime(startedAt)}</span>,
};

function withProgress(record: EvaluationRecord): ShownEvaluation {
  const stats = record.stats ?? {};
  const finished = Object.values<ModelStats>(stats).reduce((sum, of) => sum + of.finished, 0);
  const total = record.models.length * record.problemCount * record.trials;
  return { ...record, stats, progress: { finished, total }, spent: null };
}

function Name({ evaluation: { id, name, tags } }: { readonly evaluation: ShownEvaluation }) {
  return (
    <>
      <Link className="name" to="/evaluations/$id" params={{ id }}>
        {id}
      </Link>
      <div className="small">
        <Link to="/definitions/$name" params={{ name }}>
          {name} over time
        </Link>{" "}
        {tags.map((tag) => (
          <Link key={tag} className="tag" to="/" search={{ q: `tag:${tag}` }}>
            {plainText(tag)}
          </Link>
        ))}
      </div>
    </>
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
