import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { formatShare, plural } from "../../domain/format.ts";
import type { Comparison } from "../../statistics/compare.ts";
import { plainText } from "../data/display.ts";
import { VerdictMark } from "../parts/marks.tsx";
import type { PairRow } from "./pair-rows.ts";

const ROW_PX = 34;

interface PairListProps {
  readonly pairs: readonly PairRow[];
  readonly chosen: string | null;
  readonly onChoose: (id: string) => void;
}

/** Lists the problems of both sides; the chosen one is shown below. */
export function PairList({ pairs, chosen, onChoose }: PairListProps) {
  const place = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: pairs.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  const height = Math.min(320, pairs.length * ROW_PX + 2);
  return (
    <section className="card" aria-label="Problems of both">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the keys. */}
      <div className="grid" ref={place} style={{ height }} tabIndex={0}>
        <div style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const pair = pairs[item.index];
            return pair === undefined ? null : (
              <button
                key={pair.id}
                type="button"
                className="line pair"
                aria-pressed={pair.id === chosen}
                style={{ height: ROW_PX, transform: `translateY(${item.start}px)` }}
                onClick={() => onChoose(pair.id)}
              >
                <span className="cell">
                  <Marks cell={pair.cellA} />
                </span>
                <span className="cell">
                  <Marks cell={pair.cellB} />
                </span>
                <span className="problem">{plainText(pair.text || pair.id)}</span>
              </button>
            );
          })}
        </div>
      </div>
    </section>
  );
}

function Marks({ cell }: { readonly cell: string }) {
  return [...cell].map((letter, index) => <VerdictMark key={index} letter={letter} />);
}

interface PairVerdictProps {
  readonly pairs: readonly PairRow[];
  readonly nameA: string;
  readonly nameB: string;
}

/** Says in one sentence whether the difference of two sides is significant. */
export function PairVerdict({ pairs, nameA, nameB }: PairVerdictProps) {
  const { data } = useQuery({
    queryKey: ["comparison", pairs.map(({ id, cellA, cellB }) => [id, cellA, cellB])],
    queryFn: () => compareSides(pairs),
    placeholderData: (before) => before,
  });
  if (data === undefined) return null;
  return (
    <p className="card" role="status">
      {plainText(sentence(data, nameA, nameB))}
    </p>
  );
}

function sentence(comparison: Comparison, nameA: string, nameB: string): string {
  const { difference, interval, pairedProblems, pValue, verdict, problemsNeeded } = comparison;
  if (difference === null || interval === null)
    return "They have no problem in common that both have answered.";
  const by = `by ${formatShare(Math.abs(difference))} (95% interval of the difference: ${points(interval.low)} to ${points(interval.high)} points; p = ${pValue.toPrecision(2)}; ${plural(pairedProblems, "problem")})`;
  if (verdict === "better") return `A (${nameA}) is better than B (${nameB}) ${by}.`;
  if (verdict === "worse") return `A (${nameA}) is worse than B (${nameB}) ${by}.`;
  const more =
    problemsNeeded === null ? "" : ` About ${problemsNeeded} problems would be enough to tell them apart.`;
  return `No significant difference: A and B differ ${by}.${more}`;
}

const points = (share: number): string => (share * 100).toFixed(1);

/** Compares two sides; the statistics are loaded when a comparison is first shown. */
async function compareSides(pairs: readonly PairRow[]): Promise<Comparison> {
  const [{ compareModels }, { countVerdicts }] = await Promise.all([
    import("../../statistics/compare.ts"),
    import("../data/findings.ts"),
  ]);
  const side = (cellOf: (pair: PairRow) => string) =>
    new Map(pairs.map((pair) => [pair.id, countVerdicts(cellOf(pair))]));
  return compareModels(
    side(({ cellA }) => cellA),
    side(({ cellB }) => cellB),
  );
}
