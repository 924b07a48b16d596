import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { EvaluationView } from "../data/source.ts";
import { useSource } from "../data/source-context.tsx";
import { StartDialog } from "./start-dialog.tsx";

/** Cancel, retry and start again. */
export function EvaluationActions({ view }: { readonly view: EvaluationView }) {
  const source = useSource();
  const queries = useQueryClient();
  const [isStarting, setStarting] = useState(false);
  const { id, status } = view.evaluation;
  const act = useMutation({
    mutationFn: (what: "cancel" | "retry") => source[what](id),
    onSuccess: () => queries.invalidateQueries(),
  });
  const failed = Object.values(view.stats).reduce((sum, of) => sum + of.failed, 0);
  const missing = view.progress.planned - view.progress.finished;
  return (
    <>
      {status === "running" ? (
        <button type="button" disabled={act.isPending} onClick={() => act.mutate("cancel")}>
          Cancel
        </button>
      ) : (
        <>
          {failed + missing > 0 ? (
            <button type="button" disabled={act.isPending} onClick={() => act.mutate("retry")}>
              Retry {failed + missing} failed
            </button>
          ) : null}
          <button type="button" onClick={() => setStarting(true)}>
            Start again…
          </button>
        </>
      )}
      {act.isError ? (
        <span role="alert" className="small wrong">
          {act.error.message}
        </span>
      ) : null}
      {isStarting ? <StartDialog evaluation={view.evaluation} onClose={() => setStarting(false)} /> : null}
    </>
  );
}
