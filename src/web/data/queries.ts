import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { GridRow } from "./run-filter.ts";
import type { EvaluationView, GridPage, Source } from "./source.ts";

const LIVE_MS = 1_500;

/** One evaluation; it is asked for again and again while it runs. */
export const evaluationQuery = (source: Source, id: string) =>
  queryOptions({
    queryKey: ["evaluation", id],
    queryFn: ({ signal }) => source.evaluation(id, signal),
    refetchInterval: ({ state }) => (state.data?.evaluation.status === "running" ? LIVE_MS : false),
  });

/** The whole grid, page by page; the runs of a running evaluation change, so it is read anew with its progress. */
export const gridQuery = (source: Source, id: string, progress: EvaluationView["progress"], round: number) =>
  infiniteQueryOptions({
    queryKey: ["grid", id, round, progress.finished],
    queryFn: ({ pageParam, signal }) => source.grid(id, pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });

export function gridRows(pages: readonly GridPage[], runsPerProblem: number): readonly GridRow[] {
  let place = 0;
  return pages.flatMap(({ problems, verdicts }) =>
    problems.map((problem, index) => ({
      ...problem,
      place: place++,
      verdicts: verdicts.slice(index * runsPerProblem, (index + 1) * runsPerProblem),
    })),
  );
}
