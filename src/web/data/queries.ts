import {
  infiniteQueryOptions,
  queryOptions,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { modelKeys } from "./display.ts";
import type { Findings } from "./findings.ts";
import { gridRows, type VerdictGrid } from "./grid.ts";
import { type ShownEvaluation, type Source, useSource } from "./source.ts";

const LIVE_MS = 1_500;
const LIST_PAGE = 50;

/** Reads one evaluation, again and again while it runs. */
export const evaluationQuery = (source: Source, id: string) =>
  queryOptions({
    queryKey: ["evaluation", id],
    queryFn: ({ signal }) => source.evaluation(id, signal),
    refetchInterval: ({ state }) => (state.data?.status === "running" ? LIVE_MS : false),
  });

/** Reads evaluations, newest first; the server searches for the tag. */
export const evaluationsQuery = (source: Source, tag: string | null) =>
  infiniteQueryOptions({
    queryKey: ["evaluations", tag],
    queryFn: ({ pageParam, signal }) =>
      source.evaluations({ limit: LIST_PAGE, ...(tag === null ? {} : { tag }), ...pageParam }, signal),
    initialPageParam: {},
    getNextPageParam: ({ next }) => (next === null ? undefined : { cursor: next }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ evaluations }) => evaluations.some(({ status }) => status === "running"))
        ? 3_000
        : 5_000,
  });

/** Reads every round of one run; a later round of the evaluation may add one. */
export const roundsQuery = (source: Source, id: string, run: string, round?: number) =>
  queryOptions({
    queryKey: ["rounds", id, run, round],
    queryFn: ({ signal }) => source.rounds(id, run, signal),
    refetchInterval: ({ state }) => (state.data?.length === 0 ? 3_000 : false),
  });

/** Reads transcript, output and the whole result of one round of a run; a run that can have none is not asked for. */
export const bodyQuery = (source: Source, entry: LogEntry) => {
  const { evaluationId, runId, round } = entry;
  return queryOptions({
    queryKey: ["body", evaluationId, runId, round],
    queryFn: ({ signal }) => (hasNothing(entry) ? null : source.body(evaluationId, runId, round, signal)),
    staleTime: Number.POSITIVE_INFINITY,
  });
};

const hasNothing = ({ pid, transcriptSteps, resultBytes, stdout, stderr }: LogEntry): boolean =>
  pid === null && transcriptSteps + resultBytes + stdout.bytes + stderr.bytes === 0;

/** Reads the grid of an evaluation, page by page; problems never change, verdicts are read again with the progress. */
export function useGrid(evaluation: ShownEvaluation): VerdictGrid {
  const source = useSource();
  const { id, round, status, progress, models, trials } = evaluation;
  const problems = useInfiniteQuery({
    ...gridPages(source, id, true, ["problems", id]),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const verdicts = useInfiniteQuery({
    ...gridPages(source, id, false, ["verdicts", id, round, status, progress.finished]),
    placeholderData: (before) => before,
    gcTime: 10_000,
  });
  useAllPages(problems);
  useAllPages(verdicts);
  const shape = useMemo(() => ({ models: modelKeys({ models }), trials }), [models, trials]);
  const rows = useMemo(
    () =>
      gridRows(
        problems.data?.pages.flatMap((page) => page.problems) ?? [],
        verdicts.data?.pages.flatMap((page) => page.rows) ?? [],
        models.length * trials,
      ),
    [problems.data, verdicts.data, models.length, trials],
  );
  const isWhole = isAllThere(problems) && isAllThere(verdicts);
  return { rows, shape, isWhole, isFresh: !verdicts.isPlaceholderData };
}

const gridPages = (source: Source, id: string, hasProblems: boolean, queryKey: readonly unknown[]) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => source.grid(id, pageParam, hasProblems, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
  });

type Pages = Pick<
  UseInfiniteQueryResult,
  "hasNextPage" | "isFetching" | "isError" | "isSuccess" | "fetchNextPage"
>;

const isAllThere = ({ isSuccess, hasNextPage }: Pages): boolean => isSuccess && !hasNextPage;

function useAllPages({ hasNextPage, isFetching, isError, fetchNextPage }: Pages): void {
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
}

/** Computes the statistics of an evaluation once its grid is there; null until then. */
export function useFindings(evaluation: ShownEvaluation, grid: VerdictGrid): Findings | null {
  const { id, round, status, progress } = evaluation;
  const { data } = useQuery({
    queryKey: ["findings", id, round, status, progress.finished],
    queryFn: async () => (await import("./findings.ts")).findFindings(grid, status === "running"),
    enabled: grid.isWhole && grid.isFresh && grid.rows.length > 0,
    placeholderData: (before) => before,
    gcTime: 10_000,
  });
  return data ?? null;
}
