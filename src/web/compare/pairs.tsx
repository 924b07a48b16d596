import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { modelKeys } from "../data/models.ts";
import { plainText } from "../data/plain-text.ts";
import { VerdictMark } from "../parts/marks.tsx";
import type { PairRow } from "./pair-rows.ts";

const ROW_PX = 34;

interface PairListProps {
  readonly pairs: readonly PairRow[];
  readonly chosen: string | null;
  readonly onChoose: (id: string) => void;
}

/** The problems of both sides; the one that is chosen is shown below. */
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
