import { Link } from "@tanstack/react-router";
import { formatCost } from "../../domain/show/format-cost.ts";
import { plural } from "../../domain/show/format-count.ts";
import { formatDuration } from "../../domain/show/format-duration.ts";
import { formatTime } from "../../domain/show/format-time.ts";
import { plainText } from "../data/plain-text.ts";
import type { EvaluationView } from "../data/source.ts";
import { useSource } from "../data/source-context.tsx";
import { totalCost } from "../data/total-cost.ts";
import { EvaluationActions } from "./evaluation-actions.tsx";
import { EvaluationOrigin } from "./evaluation-origin.tsx";
import { ExportButtons } from "./export-buttons.tsx";
import { StatusBadge } from "./status-badge.tsx";

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
