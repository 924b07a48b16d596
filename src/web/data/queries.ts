import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import type { EvaluationView, Source } from "./source.ts";

/** Transcript, output and whole result of one round of a run; nobody is asked for what a run cannot have. */
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

const LIVE_MS = 1_500;
const LIST_PAGE = 50;

/** One evaluation; it is asked for again and again while it runs. */
export const evaluationQuery = (source: Source, id: string) =>
  queryOptions({
    queryKey: ["evaluation", id],
    queryFn: ({ signal }) => source.evaluation(id, signal),
    refetchInterval: ({ state }) => (state.data?.evaluation.status === "running" ? LIVE_MS : false),
  });

/** Evaluations, newest first; a tag is one that the server looks for. */
export const evaluationsQuery = (source: Source, tag: string | null) =>
  infiniteQueryOptions({
    queryKey: ["evaluations", tag],
    queryFn: ({ pageParam, signal }) =>
      source.evaluations({ limit: LIST_PAGE, ...(tag === null ? {} : { tag }), ...pageParam }, signal),
    initialPageParam: {},
    getNextPageParam: ({ next }) => (next === null ? undefined : { cursor: next }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(({ status }) => status === "running")) ? 3_000 : 5_000,
  });

/** What an evaluation asks; that never changes. */
export const problemsQuery = (source: Source, id: string) =>
  infiniteQueryOptions({
    queryKey: ["problems", id],
    queryFn: ({ pageParam, signal }) => source.grid(id, pageParam, true, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What became of its runs; they change, so it is read anew with the evaluation's progress. */
export const verdictsQuery = (source: Source, { evaluation, progress }: EvaluationView) =>
  infiniteQueryOptions({
    queryKey: ["verdicts", evaluation.id, evaluation.round, evaluation.status, progress.finished],
    queryFn: ({ pageParam, signal }) => source.grid(evaluation.id, pageParam, false, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
    gcTime: 10_000,
  });
