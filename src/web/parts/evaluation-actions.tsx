import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { modelKeys } from "../data/model-keys.ts";
import type { EvaluationView } from "../data/source.ts";
import { useSource } from "../data/source-context.tsx";
import { StartDialog } from "./start-dialog.tsx";

/** Cancel, retry and start again. */
export function EvaluationActions({ view }: { readonly view: EvaluationView }) {
  const source = useSource();
  const queries = useQueryClient();
  const [isStarting, setStarting] = useState(false);
  const { id, status, name } = view.evaluation;
  const act = useMutation({
    mutationFn: (what: "cancel" | "retry") => source[what](id),
    onSuccess: () => queries.invalidateQueries(),
  });
  // Runs under way end as they are, which may take a while.
  const isStopping = act.isSuccess && act.variables === "cancel";
  const retry = retryWords(view);
  return (
    <>
      {status === "running" ? (
        <button type="button" disabled={act.isPending || isStopping} onClick={() => act.mutate("cancel")}>
          {isStopping ? "Cancelling…" : "Cancel"}
        </button>
      ) : (
        <>
          {retry === null ? null : (
            <button type="button" disabled={act.isPending} onClick={() => act.mutate("retry")}>
              {retry}
            </button>
          )}
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
      {isStarting ? (
        <StartDialog
          title={`Start ${name} again`}
          definitions={[{ name, models: modelKeys(view.evaluation) }]}
          onClose={() => setStarting(false)}
        />
      ) : null}
    </>
  );
}

/** What another round would run; null when there is nothing left to run. */
function retryWords({ stats, progress }: EvaluationView): string | null {
  const failed = Object.values(stats).reduce((sum, of) => sum + of.failed, 0);
  const missing = progress.planned - progress.finished;
  if (failed === 0 && missing === 0) return null;
  if (missing === 0) return `Retry ${failed} that failed`;
  if (failed === 0) return `Run ${missing} that are missing`;
  return `Retry ${failed} that failed, run ${missing} that are missing`;
}
