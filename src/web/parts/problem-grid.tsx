import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { plainText } from "../data/plain-text.ts";
import { readVerdict } from "../data/read-verdict.ts";
import { cellOf, type GridRow, type GridShape, type RunFilter } from "../data/run-filter.ts";
import { VerdictMark } from "./verdict-mark.tsx";

const ROW_PX = 34;
const HEADS_PX = 36;
const MARK_PX = 24;

interface GridProps {
  readonly evaluationId: string;
  readonly rows: readonly GridRow[];
  readonly shape: GridShape;
  readonly filter: RunFilter;
}

/** Models × problems, a cell per pair with its trials inside; only the rows in view are in the page. */
export function ProblemGrid({ evaluationId, rows, shape, filter }: GridProps) {
  const place = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 12,
  });
  const shown = shape.models.flatMap((model, index) =>
    filter.model === undefined || filter.model === model ? [{ model, index }] : [],
  );
  const heightPx = rows.length * ROW_PX + HEADS_PX;
  const cellPx = Math.max(110, shape.trials * MARK_PX + 18);
  const columns = {
    gridTemplateColumns: `minmax(var(--problem-width), 1fr) repeat(${shown.length}, ${cellPx}px)`,
    minWidth: `calc(var(--problem-width) + ${shown.length * cellPx}px)`,
  };
  return (
    <div
      className="grid"
      style={{ height: `min(70vh, ${heightPx}px)` }}
      ref={place}
      role="table"
      aria-label="Problems and models"
      aria-rowcount={rows.length + 1}
    >
      <div className="heads" role="row" style={columns}>
        <div role="columnheader" className="problem">
          Problem
        </div>
        {shown.map(({ model }) => (
          <div role="columnheader" key={model} title={model}>
            {plainText(model)}
          </div>
        ))}
      </div>
      <div role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index];
          return row === undefined ? null : (
            <div
              role="row"
              aria-rowindex={item.index + 2}
              className="line"
              key={item.key}
              style={{ ...columns, height: ROW_PX, transform: `translateY(${item.start}px)` }}
            >
              <div role="rowheader" className="problem" title={`${row.id}: ${row.text}`}>
                {plainText(row.text || row.id)}
              </div>
              {shown.map(({ model, index }) => (
                <Cell key={model} {...{ evaluationId, row, shape, filter, model, index }} />
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface CellProps extends Omit<GridProps, "rows"> {
  readonly row: GridRow;
  readonly model: string;
  readonly index: number;
}

function Cell({ evaluationId, row, shape, filter, model, index }: CellProps) {
  return (
    <div role="cell" className="cell">
      {[...cellOf(row, shape, index)].map((letter, trial) => {
        const number = (row.place * shape.models.length + index) * shape.trials + trial;
        return (
          <Link
            key={number}
            to="/evaluations/$id/runs/$runId"
            params={{ id: evaluationId, runId: String(number) }}
            search={filter}
            aria-label={`${model}, ${row.text || row.id}, trial ${trial + 1}: ${readVerdict(letter).words}`}
          >
            <VerdictMark letter={letter} />
          </Link>
        );
      })}
    </div>
  );
}
