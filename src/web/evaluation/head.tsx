import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { budgetParts, NO_SPEND } from "../../domain/budget.ts";
import { formatCost, formatDuration, formatTime, plural } from "../../domain/format.ts";
import { saveBlob } from "../data/browser.ts";
import { modelKeys, totalCost } from "../data/models.ts";
import { plainText } from "../data/plain-text.ts";
import type { EvaluationView } from "../data/source.ts";
import { useSource } from "../data/source-context.tsx";
import { StartDialog } from "../list/start.tsx";
import { StatusBadge } from "../parts/marks.tsx";

/** What an evaluation is, how it stands, and what can be done with it. */
export function EvaluationHead({ view }: { readonly view: EvaluationView }) {
  const { mayAct } = useSource();
  const { evaluation, stats } = view;
  const { costUsd, runsWithUnknownCost } = totalCost(stats);
  const endedAt = evaluation.endedAt === null ? Date.now() : Date.parse(evaluation.endedAt);
  const parts = [
    plural(evaluation.models.length, "model"),
    plural(evaluation.problemCount, "problem"),
    ...(evaluation.trials > 1 ? [plural(evaluation.trials, "trial")] : []),
    formatCost(costUsd, runsWithUnknownCost),
    formatDuration((endedAt - Date.parse(evaluation.startedAt)) / 1_000),
    `started ${formatTime(evaluation.startedAt)}`,
    ...(evaluation.round > 1 ? [`round ${evaluation.round}`] : []),
  ];
  return (
    <div className="bar apart">
      <div>
        <div className="bar">
          <h1>{evaluation.id}</h1>
          <StatusBadge view={view} />
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
        <EvaluationOrigin view={view} />
      </div>
      <div className="bar">
        {mayAct ? <EvaluationActions view={view} /> : null}
        <ExportButtons id={evaluation.id} />
      </div>
    </div>
  );
}

/** Where an evaluation comes from, what it may spend, and whether its results were checked again; often nothing. */
function EvaluationOrigin({ view }: { readonly view: EvaluationView }) {
  const { budget, grownFrom, recheck } = view.evaluation;
  if (budget === null && grownFrom === null && recheck === null) return null;
  return (
    <div className="small quiet bar">
      {budget === null ? null : <span>Budget: {budgetParts(budget, view.spent ?? NO_SPEND).join(", ")}</span>}
      {grownFrom === null ? null : <Grown from={grownFrom} />}
      {recheck === null ? null : <span>{recheckText(recheck)}</span>}
    </div>
  );
}

/** A report has no other evaluation that a link could lead to. */
function Grown({ from }: { readonly from: string }) {
  const { mayAct } = useSource();
  const link = mayAct ? (
    <Link to="/evaluations/$id" params={{ id: from }}>
      {from}
    </Link>
  ) : (
    from
  );
  return <span>Grew out of {link}</span>;
}

function recheckText({ round, unchecked }: NonNullable<EvaluationView["evaluation"]["recheck"]>): string {
  if (unchecked === null) return `Results are being checked again in round ${round}`;
  const left = unchecked === 0 ? "" : `, but for ${plural(unchecked, "result")}`;
  return `Results were checked again in round ${round}${left}`;
}

/** Cancel, retry and start again. */
function EvaluationActions({ view }: { readonly view: EvaluationView }) {
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

/** All logs of an evaluation as a file. */
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
      {save.isError ? (
        <span role="alert" className="small wrong">
          {save.error.message}
        </span>
      ) : null}
    </>
  );
}
