import { readVerdict } from "../data/read-verdict.ts";

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
