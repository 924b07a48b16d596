import { useNavigate, useRouter } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type MouseEvent, memo, type RefObject, useCallback, useMemo, useRef } from "react";
import { plainText, readVerdict } from "../data/display.ts";
import { cellOf, type GridRow, type GridShape, type RunFilter } from "../data/grid.ts";

const ROW_PX = 34;
const HEADS_PX = 36;
const MARK_PX = 24;

interface GridProps {
  readonly evaluationId: string;
  readonly rows: readonly GridRow[];
  readonly shape: GridShape;
  readonly filter: RunFilter;
}

/** Shows models × problems, a cell per pair with its trials inside; only the rows in view are in the page. */
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
  const style = {
    height: `min(70vh, ${heightPx}px)`,
    "--columns": `minmax(var(--problem-width), 1fr) repeat(${models.length}, ${cellPx}px)`,
    "--least-width": `calc(var(--problem-width) + ${models.length * cellPx}px)`,
  };
  const shown = useColumnsInView(place, models, cellPx);
  // One listener for thousands of links; anything but a plain click is left to the browser.
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
      style={style}
      ref={place}
      role="table"
      aria-label="Problems and models"
      aria-rowcount={rows.length + 1}
      aria-colcount={models.length + 1}
      onClick={follow}
    >
      <div className="heads" role="row">
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
            <ProblemRow
              key={key}
              row={row}
              index={index}
              start={start}
              shape={shape}
              shown={shown}
              addressOf={addressOf}
            />
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

interface RowProps {
  readonly row: GridRow;
  /** Among the rows that are shown. */
  readonly index: number;
  readonly start: number;
  readonly shape: GridShape;
  readonly shown: readonly ShownModel[];
  readonly addressOf: (run: number) => string;
}

/** Shows one problem and the verdicts of every model; drawn again only when something about it changed. */
const ProblemRow = memo(function ProblemRow(props: RowProps) {
  const { row, index, start, shape, shown, addressOf } = props;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className="line"
      style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
    >
      <div role="rowheader" className="problem" title={`${row.id}: ${row.text}`}>
        {plainText(row.text || row.id)}
      </div>
      {shown.map(({ model, index: place, column }) => (
        <div role="cell" aria-colindex={column} className="cell" key={model} style={{ gridColumn: column }}>
          {[...cellOf(row, shape, place)].map((letter, trial) => {
            const run = (row.place * shape.models.length + place) * shape.trials + trial;
            const { outcome, symbol, words } = readVerdict(letter);
            const name = `${model}, ${row.text || row.id}, trial ${trial + 1}: ${words}`;
            return (
              <a
                key={run}
                className={`mark ${outcome}`}
                href={addressOf(run)}
                data-run={run}
                title={words}
                aria-label={name}
              >
                {symbol}
              </a>
            );
          })}
        </div>
      ))}
    </div>
  );
});

/** Makes the addresses of run pages; asks the router only once, because it is slow. */
function useRunAddress(id: string, filter: RunFilter): (run: number) => string {
  const router = useRouter();
  return useMemo(() => {
    const { href } = router.buildLocation({
      to: "/evaluations/$id/runs/$runId",
      params: { id, runId: "RUN" },
      search: filter,
    });
    const [before = "", after = ""] = router.history.createHref(href).split("/runs/RUN");
    return (run) => `${before}/runs/${run}${after}`;
  }, [router, id, filter]);
}

interface ShownModel {
  readonly model: string;
  /** Among the evaluation's models. */
  readonly index: number;
  /** In the grid; the problems have the first column. */
  readonly column: number;
}

/** Picks the models whose column is in view, or about to be; all of them would make scrolling slow. */
function useColumnsInView(
  place: RefObject<HTMLElement | null>,
  models: readonly ShownModel[],
  cellPx: number,
): readonly ShownModel[] {
  const { range } = useVirtualizer({
    horizontal: true,
    count: models.length,
    getScrollElement: () => place.current,
    estimateSize: () => cellPx,
  });
  const [first, last] = [range?.startIndex ?? 0, range?.endIndex ?? models.length];
  return useMemo(() => models.slice(Math.max(0, first - 4), last + 5), [models, first, last]);
}
