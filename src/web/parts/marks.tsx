import { readVerdict } from "../data/models.ts";
import type { EvaluationView } from "../data/source.ts";

/** A verdict as colour and symbol, so that neither alone carries it. */
export function VerdictMark({ letter }: { readonly letter: string }) {
  const { outcome, symbol, words } = readVerdict(letter);
  return (
    <span className={`mark ${outcome}`} title={words}>
      <span aria-hidden="true">{symbol}</span>
      <span className="hidden">{words}</span>
    </span>
  );
}

/** How an evaluation stands, with its progress while it runs. */
export function StatusBadge({ view }: { readonly view: EvaluationView }) {
  const { status } = view.evaluation;
  const { finished, planned } = view.progress;
  return (
    <span className="bar">
      <span className={`badge ${status}`} aria-live="polite">
        {status}
      </span>
      {status === "running" ? (
        <>
          <progress value={finished} max={Math.max(1, planned)} aria-label="Progress" />
          <span className="small quiet">
            {finished} of {planned}
          </span>
        </>
      ) : null}
    </span>
  );
}
