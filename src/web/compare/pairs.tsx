import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { plainText } from "../data/display.ts";
import type { ComparedGrid } from "../data/findings.ts";
import type { PairRow } from "../data/grid.ts";
import { VerdictMark } from "../parts/marks.tsx";

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
  readonly a: ComparedGrid;
  readonly b: ComparedGrid;
}

/** Says in one sentence whether the difference of two sides is significant. */
export function PairVerdict({ a, b }: PairVerdictProps) {
  const { data } = useQuery({
    queryKey: [
      "comparison",
      ...[a, b].flatMap(({ id, model, isRunning, rows }) => [id, model, isRunning, rows]),
    ],
    // The statistics are loaded when a comparison is first shown.
    queryFn: async () => (await import("../data/findings.ts")).compareSides(a, b),
    placeholderData: (before) => before,
  });
  if (data === undefined || data === null) return null;
  return (
    <p className="card" role="status">
      {plainText(data)}
    </p>
  );
}
