import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { budgetParts, NO_SPEND } from "../../domain/budget.ts";
import { formatTime, plural } from "../../domain/format.ts";
import { saveBlob } from "../data/browser.ts";
import { durationOf, modelKeys, plainText, totalCost } from "../data/display.ts";
import { type ShownEvaluation, useSource } from "../data/source.ts";
import { StartDialog } from "../list/start.tsx";
import { StatusBadge } from "../parts/marks.tsx";

interface EvaluationProps {
  readonly evaluation: ShownEvaluation;
}

/** Shows an evaluation's name and status, and what can be done with it. */
export function EvaluationHead({ evaluation }: EvaluationProps) {
  const { mayAct } = useSource();
  const parts = [
    plural(evaluation.models.length, "model"),
    plural(evaluation.problemCount, "problem"),
    ...(evaluation.trials > 1 ? [plural(evaluation.trials, "trial")] : []),
    totalCost(evaluation.stats),
    durationOf(evaluation),
    `started ${formatTime(evaluation.startedAt)}`,
    ...(evaluation.round > 1 ? [`round ${evaluation.round}`] : []),
  ];
  return (
    <div className="bar apart">
      <div>
        <div className="bar">
          <h1>{evaluation.id}</h1>
          <StatusBadge status={evaluation.status} progress={evaluation.progress} />
        </div>
        <div className="small quiet bar">
          <span>{parts.join(" · ")}</span>
          {evaluation.tags.map((tag) => (
            <span key={tag} className="tag">
              {plainText(tag)}
            </span>
          ))}
          {mayAct ? (
            <Link to="/definitions/$name" params={{ name: evaluation.name }}>
              {evaluation.name} over time
            </Link>
          ) : null}
        </div>
        <EvaluationOrigin evaluation={evaluation} />
      </div>
      <div className="bar">
        {mayAct ? <EvaluationActions evaluation={evaluation} /> : null}
        <ExportButtons id={evaluation.id} />
      </div>
    </div>
  );
}

/** Shows the budget, the evaluation that this one grew out of, and whether its results were checked again. */
function EvaluationOrigin({ evaluation: { budget, spent, grownFrom, recheck } }: EvaluationProps) {
  if (budget === null && grownFrom === null && recheck === null) return null;
  return (
    <div className="small quiet bar">
      {budget === null ? null : <span>Budget: {budgetParts(budget, spent ?? NO_SPEND).join(", ")}</span>}
      {grownFrom === null ? null : (
        <span>
          Extended from <EvaluationLink id={grownFrom} />
        </span>
      )}
      {recheck === null ? null : <span>{recheckText(recheck)}</span>}
    </div>
  );
}

/** Leads to another evaluation; a report has no other one. */
function EvaluationLink({ id }: { readonly id: string }) {
  if (!useSource().mayAct) return id;
  return (
    <Link to="/evaluations/$id" params={{ id }}>
      {id}
    </Link>
  );
}

function recheckText({ round, unchecked }: NonNullable<ShownEvaluation["recheck"]>): string {
  if (unchecked === null) return `Results are being checked again in round ${round}`;
  const left = unchecked === 0 ? "" : `, except ${plural(unchecked, "result")}`;
  return `Results were checked again in round ${round}${left}`;
}

/** Cancels, retries and starts again. */
function EvaluationActions({ evaluation }: EvaluationProps) {
  const source = useSource();
  const queries = useQueryClient();
  const [isStarting, setStarting] = useState(false);
  const { id, status, name } = evaluation;
  const act = useMutation({
    mutationFn: (what: "cancel" | "retry") => source[what](id),
    onSuccess: () => queries.invalidateQueries(),
  });
  // Runs in progress are not interrupted, which may take a while.
  const isStopping = act.isSuccess && act.variables === "cancel";
  const retry = retryWords(evaluation);
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
      <ActionError error={act.error} />
      {isStarting ? (
        <StartDialog
          title={`Start ${name} again`}
          definitions={[{ name, models: modelKeys(evaluation) }]}
          onClose={() => setStarting(false)}
        />
      ) : null}
    </>
  );
}

/** Says what another round would run; null when there is nothing left to run. */
function retryWords({ stats, progress }: ShownEvaluation): string | null {
  const failed = Object.values(stats).reduce((sum, of) => sum + of.failed, 0);
  const missing = progress.total - progress.finished;
  if (failed === 0 && missing === 0) return null;
  if (missing === 0) return `Retry ${failed} failed`;
  if (failed === 0) return `Run ${missing} missing`;
  return `Retry ${failed} failed, run ${missing} missing`;
}

/** Downloads all logs of an evaluation. */
function ExportButtons({ id }: { readonly id: string }) {
  const source = useSource();
  const save = useMutation({
    mutationFn: async (format: "jsonl" | "csv") =>
      saveBlob(await source.exportFile(id, format), `${id}.${format}`),
  });
  return (
    <>
      {(["csv", "jsonl"] as const).map((format) => (
        <button key={format} type="button" disabled={save.isPending} onClick={() => save.mutate(format)}>
          {format.toUpperCase()}
        </button>
      ))}
      <ActionError error={save.error} />
    </>
  );
}

const ActionError = ({ error }: { readonly error: Error | null }) =>
  error === null ? null : (
    <span role="alert" className="small wrong">
      {error.message}
    </span>
  );
