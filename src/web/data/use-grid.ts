import { type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { gridRows } from "./grid-rows.ts";
import { modelKeys } from "./model-keys.ts";
import { problemsQuery, verdictsQuery } from "./queries.ts";
import type { Grid } from "./run-filter.ts";
import type { EvaluationView } from "./source.ts";
import { useSource } from "./source-context.tsx";

/** The grid of an evaluation, as far as it has arrived. */
export function useGrid(view: EvaluationView): Grid {
  const source = useSource();
  const { evaluation } = view;
  const problems = useInfiniteQuery(problemsQuery(source, evaluation.id));
  const verdicts = useInfiniteQuery(verdictsQuery(source, view));
  useAllPages(problems);
  useAllPages(verdicts);
  const { models, trials } = evaluation;
  const shape = useMemo(() => ({ models: modelKeys({ models }), trials }), [models, trials]);
  const rows = useMemo(
    () =>
      gridRows(
        problems.data?.pages.flatMap((page) => page.problems) ?? [],
        verdicts.data?.pages.map((page) => page.verdicts).join("") ?? "",
        models.length * trials,
      ),
    [problems.data, verdicts.data, models.length, trials],
  );
  const isWhole = isAllThere(problems) && isAllThere(verdicts);
  return { rows, shape, isWhole, isFresh: !verdicts.isPlaceholderData };
}

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
