import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { modelKeys } from "./model-keys.ts";
import { gridQuery, gridRows } from "./queries.ts";
import type { Grid } from "./run-filter.ts";
import type { EvaluationView } from "./source.ts";
import { useSource } from "./source-context.tsx";

/** The grid of an evaluation, as far as it has arrived. */
export function useGrid({ evaluation, progress }: EvaluationView): Grid {
  const source = useSource();
  const pages = useInfiniteQuery(gridQuery(source, evaluation.id, progress, evaluation.round));
  const { hasNextPage, isFetching, fetchNextPage, isError } = pages;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  const { trials } = evaluation;
  const models = modelKeys(evaluation);
  const rows = useMemo(
    () => gridRows(pages.data?.pages ?? [], models.length * trials),
    [pages.data, models.length, trials],
  );
  return { rows, shape: { models, trials }, isWhole: !hasNextPage };
}
