import type { ModelStats } from "../../domain/model-stats.ts";
import { formatShare } from "../../domain/show/format-share.ts";
import { plainText } from "../data/plain-text.ts";

type Accuracies = Readonly<Record<string, Pick<ModelStats, "accuracy">>>;

const SHOWN = 4;

/** The accuracy of each model as a small bar, best first. */
export function AccuracyBars({ stats }: { readonly stats: Accuracies }) {
  const models = Object.entries(stats).sort(([, a], [, b]) => (b.accuracy ?? -1) - (a.accuracy ?? -1));
  return (
    <div>
      {models.slice(0, SHOWN).map(([model, { accuracy }]) => (
        <div className="accuracy" key={model}>
          <span className="model" title={model}>
            {plainText(model)}
          </span>
          <span className="track" aria-hidden="true">
            <span className="fill" style={{ width: `${(accuracy ?? 0) * 100}%` }} />
          </span>
          <span>{formatShare(accuracy)}</span>
        </div>
      ))}
      {models.length > SHOWN ? <span className="small quiet">and {models.length - SHOWN} more</span> : null}
    </div>
  );
}
