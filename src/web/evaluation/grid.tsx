import { useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type MouseEvent, memo, useCallback, useMemo, useRef } from "react";
import { readVerdict } from "../data/models.ts";
import { plainText } from "../data/plain-text.ts";
import { cellOf, type GridRow, type GridShape, type RunFilter } from "../data/run-filter.ts";
import { type ShownModel, useColumnsInView, useRunAddress } from "./use-grid.ts";

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
  const navigate = useNavigate();
  const addressOf = useRunAddress(evaluationId, filter);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW_PX,
    getItemKey: useCallback((index: number) => rows[index]?.id ?? index, [rows]),
    overscan: 8,
  });
  const models = useMemo(() => shownModels(shape, filter.model), [shape, filter.model]);
  const heightPx = rows.length * ROW_PX + HEADS_PX;
  const cellPx = Math.max(110, shape.trials * MARK_PX + 18);
  const columns = `minmax(var(--problem-width), 1fr) repeat(${models.length}, ${cellPx}px)`;
  const widthPx = models.length * cellPx;
  const shown = useColumnsInView(place, models, cellPx);
  // Thousands of links have one listener between them; what is no plain click is the browser's business.
  const follow = (event: MouseEvent) => {
    const runId = (event.target as Element).closest("a")?.dataset.run;
    if (runId === undefined || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void navigate({
      to: "/evaluations/$id/runs/$runId",
      params: { id: evaluationId, runId },
      search: filter,
    });
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the links in it answer to the keyboard by themselves.
    <div
      className="grid"
      style={{ height: `min(70vh, ${heightPx}px)` }}
      ref={place}
      role="table"
      aria-label="Problems and models"
      aria-rowcount={rows.length + 1}
      aria-colcount={models.length + 1}
      onClick={follow}
    >
      <div
        className="heads"
        role="row"
        style={{ gridTemplateColumns: columns, minWidth: `calc(var(--problem-width) + ${widthPx}px)` }}
      >
        <div role="columnheader" className="problem">
          Problem
        </div>
        {shown.map(({ model, column }) => (
          <div role="columnheader" key={model} title={model} style={{ gridColumn: column }}>
            {plainText(model)}
          </div>
        ))}
      </div>
      <div role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <ProblemRow key={key} {...{ row, index, start, shape, shown, columns, widthPx, addressOf }} />
          );
        })}
      </div>
    </div>
  );
}

const shownModels = ({ models }: GridShape, chosen: string | undefined): readonly ShownModel[] =>
  models
    .map((model, index) => ({ model, index }))
    .filter(({ model }) => chosen === undefined || chosen === model)
    .map((shown, at) => ({ ...shown, column: at + 2 }));

export const ROW_PX = 34;

interface RowProps {
  readonly row: GridRow;
  /** Among the rows that are shown. */
  readonly index: number;
  readonly start: number;
  readonly shape: GridShape;
  readonly shown: readonly ShownModel[];
  readonly columns: string;
  readonly widthPx: number;
  readonly addressOf: (run: number) => string;
}

/** One problem and what every model made of it; drawn again only when something about it changed. */
const ProblemRow = memo(function ProblemRow(props: RowProps) {
  const { row, index, start, shape, shown, columns, widthPx, addressOf } = props;
  const style = {
    gridTemplateColumns: columns,
    minWidth: `calc(var(--problem-width) + ${widthPx}px)`,
    height: ROW_PX,
    transform: `translateY(${start}px)`,
  };
  return (
    <div role="row" aria-rowindex={index + 2} className="line" style={style}>
      <div role="rowheader" className="problem" title={`${row.id}: ${row.text}`}>
        {plainText(row.text || row.id)}
      </div>
      {shown.map(({ model, index: place, column }) => (
        <div role="cell" aria-colindex={column} className="cell" key={model} style={{ gridColumn: column }}>
          {[...cellOf(row, shape, place)].map((letter, trial) => {
            const run = (row.place * shape.models.length + place) * shape.trials + trial;
            return <RunMark key={run} {...{ letter, run, model, row, trial }} address={addressOf(run)} />;
          })}
        </div>
      ))}
    </div>
  );
});

interface MarkProps extends Pick<RowProps, "row"> {
  readonly letter: string;
  readonly run: number;
  readonly model: string;
  readonly trial: number;
  readonly address: string;
}

function RunMark({ letter, run, model, row, trial, address }: MarkProps) {
  const { outcome, symbol, words } = readVerdict(letter);
  return (
    <a
      className={`mark ${outcome}`}
      href={address}
      data-run={run}
      title={words}
      aria-label={`${model}, ${row.text || row.id}, trial ${trial + 1}: ${words}`}
    >
      {symbol}
    </a>
  );
}

interface ColumnHeadsProps {
  readonly names: readonly string[];
  /** Those whose cells are numbers, which stand to the right. */
  readonly numbers: readonly string[];
}

/** The head of a table. */
export const ColumnHeads = ({ names, numbers }: ColumnHeadsProps) => (
  <thead>
    <tr>
      {names.map((name) => (
        <th key={name} scope="col" className={numbers.includes(name) ? "number" : undefined}>
          {name}
        </th>
      ))}
    </tr>
  </thead>
);
