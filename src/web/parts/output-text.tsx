import type { CapturedOutput } from "../../domain/run-body.ts";
import { formatCount } from "../../domain/show/format-count.ts";
import { LongText } from "./long-text.tsx";

/** What a run printed, and how much of it was not kept. */
export function OutputText({ title, output }: { readonly title: string; readonly output: CapturedOutput }) {
  if (output.bytes === 0) return null;
  return (
    <details className="step">
      <summary>
        {title} <span className="quiet small">{formatCount(output.bytes)} bytes</span>
      </summary>
      <LongText text={output.head} label={title} />
      {output.droppedBytes > 0 ? (
        <p className="quiet small">{formatCount(output.droppedBytes)} bytes were not kept</p>
      ) : null}
      {output.tail === "" ? null : <LongText text={output.tail} label={`${title}, its end`} />}
    </details>
  );
}
