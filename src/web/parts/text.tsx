import { useState } from "react";
import { formatCount } from "../../domain/format.ts";
import { plainText } from "../data/display.ts";

/** A browser lays out so much without a pause, even as one line. */
const PIECE = 20_000;

/** Shows text of any length, never as HTML; more of it on a click. */
export function LongText({ text, label }: { readonly text: string; readonly label?: string }) {
  const [shown, setShown] = useState(PIECE);
  const rest = text.length - shown;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the keys. */}
      <pre role="region" tabIndex={0} aria-label={label ?? "Text"}>
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
