import { useState } from "react";
import { formatCount } from "../../domain/format.ts";
import { plainText } from "../data/plain-text.ts";

/** What a browser lays out without a pause, even as one line. */
const PIECE = 20_000;

/** Text of any length, never taken as anything but text; more of it comes when asked for. */
export function LongText({ text, label }: { readonly text: string; readonly label?: string }) {
  const [shown, setShown] = useState(PIECE);
  const rest = text.length - shown;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the keys. */}
      <pre className="text" role="region" tabIndex={0} aria-label={label ?? "Text"}>
        {plainText(text.slice(0, shown))}
      </pre>
      {rest > 0 ? (
        <button type="button" className="small" onClick={() => setShown(shown + 5 * PIECE)}>
          Show more ({formatCount(rest)} characters left)
        </button>
      ) : null}
    </>
  );
}
