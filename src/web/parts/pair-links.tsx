import { Link } from "@tanstack/react-router";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { modelKeys } from "../data/model-keys.ts";

/** The way from one evaluation to two of its models side by side. */
export function PairLinks({ evaluation }: { readonly evaluation: EvaluationRecord }) {
  const [first, second] = modelKeys(evaluation);
  const { id } = evaluation;
  const search = { a: id, b: id, ...(first ? { aModel: first } : {}), ...(second ? { bModel: second } : {}) };
  return (
    <p className="small">
      <Link to="/compare" search={search}>
        Compare two models, or another evaluation, side by side
      </Link>
    </p>
  );
}
