import { Link } from "@tanstack/react-router";
import { NO_SPEND } from "../../domain/budget.ts";
import { budgetParts } from "../../domain/show/budget-parts.ts";
import { plural } from "../../domain/show/format-count.ts";
import type { EvaluationView } from "../data/source.ts";
import { useSource } from "../data/source-context.tsx";

/** Where an evaluation comes from, what it may spend, and whether its results were checked again; often nothing. */
export function EvaluationOrigin({ view }: { readonly view: EvaluationView }) {
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
