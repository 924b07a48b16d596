import { formatShare } from "../../domain/format.ts";
import type { Estimate } from "../../domain/stats/estimate.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { plainText, readVerdict } from "../data/display.ts";
import type { ShownEvaluation } from "../data/source.ts";

/** Shows a verdict as colour and symbol, so that neither is needed to read it. */
export function VerdictMark({ letter }: { readonly letter: string }) {
  const { outcome, symbol, words } = readVerdict(letter);
  return (
    <span className={`mark ${outcome}`} title={words}>
      <span aria-hidden="true">{symbol}</span>
      <span className="hidden">{words}</span>
    </span>
  );
}

/** Shows the status of an evaluation, with its progress while it runs. */
export function StatusBadge({ status, progress }: Pick<ShownEvaluation, "status" | "progress">) {
  const { finished, total } = progress;
  return (
    <span className="bar">
      <span className={`badge ${status}`} aria-live="polite">
        {status}
      </span>
      {status === "running" ? (
        <>
          <progress value={finished} max={Math.max(1, total)} aria-label="Progress" />
          <span className="small quiet">
            {finished} of {total}
          </span>
        </>
      ) : null}
    </span>
  );
}

type Accuracies = Readonly<Record<string, Pick<ModelStats, "accuracy">>>;

const SHOWN = 4;

/** Shows the accuracy of each model as a small bar, best first. */
export function AccuracyBars({ stats }: { readonly stats: Accuracies }) {
  const models = Object.entries(stats).sort(([, a], [, b]) => (b.accuracy ?? -1) - (a.accuracy ?? -1));
  return (
    <div>
      {models.slice(0, SHOWN).map(([model, { accuracy }]) => (
        <div className="accuracy" key={model}>
          <span className="model" title={model}>
            {plainText(model)}
          </span>
          <span className="interval" aria-hidden="true">
            <span style={{ width: `${(accuracy ?? 0) * 100}%` }} />
          </span>
          <span>{formatShare(accuracy)}</span>
        </div>
      ))}
      {models.length > SHOWN ? <span className="small quiet">and {models.length - SHOWN} more</span> : null}
    </div>
  );
}

/** Shows a share with its 95% interval. */
export function ShareText({ estimate }: { readonly estimate: Estimate | null }) {
  if (estimate === null) return "–";
  const { value, low, high } = estimate;
  return (
    <>
      {formatShare(value)}{" "}
      <span className="quiet small">
        {formatShare(low)} – {formatShare(high)}
      </span>
    </>
  );
}
