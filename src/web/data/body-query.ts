import { queryOptions } from "@tanstack/react-query";
import type { LogEntry } from "../../domain/log-entry.ts";
import type { Source } from "./source.ts";

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
