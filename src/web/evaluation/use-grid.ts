import { type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useMemo } from "react";
import { modelKeys } from "../data/models.ts";
import { problemsQuery, verdictsQuery } from "../data/queries.ts";
import type { Grid, RunFilter } from "../data/run-filter.ts";
import type { EvaluationView } from "../data/source.ts";
import { useSource } from "../data/source-context.tsx";
import { gridRows } from "./grid-rows.ts";

/** Where each run of an evaluation has its page; the router is asked once, because it takes its time. */
export function useRunAddress(id: string, filter: RunFilter): (run: number) => string {
  const router = useRouter();
  return useMemo(() => {
    const { href } = router.buildLocation({
      to: "/evaluations/$id/runs/$runId",
      params: { id, runId: "RUN" },
      search: filter,
    });
    const [before = "", after = ""] = router.history.createHref(href).split("/runs/RUN");
    return (run) => `${before}/runs/${run}${after}`;
  }, [router, id, filter]);
}

export interface ShownModel {
  readonly model: string;
  /** Among the evaluation's models. */
  readonly index: number;
  /** Where it stands in the grid; the problems have the first column. */
  readonly column: number;
}

/** Those models whose column is in view, or about to be; the others would only make scrolling slow. */
export function useColumnsInView(
  place: RefObject<HTMLElement | null>,
  models: readonly ShownModel[],
  cellPx: number,
): readonly ShownModel[] {
  const virtual = useVirtualizer({
    horizontal: true,
    count: models.length,
    getScrollElement: () => place.current,
    estimateSize: () => cellPx,
    // The column of problems stays in view, so that one more than it seems can be beside it.
    overscan: 4,
  });
  const range = virtual.range;
  const [first, last] = [range?.startIndex ?? 0, range?.endIndex ?? models.length];
  return useMemo(() => models.slice(Math.max(0, first - 4), last + 5), [models, first, last]);
}

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
