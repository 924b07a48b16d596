import { memo } from "react";
import { plainText } from "../data/plain-text.ts";
import { readVerdict } from "../data/read-verdict.ts";
import { cellOf, type GridRow, type GridShape } from "../data/run-filter.ts";
import type { ShownModel } from "../data/use-columns-in-view.ts";

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
export const ProblemRow = memo(function ProblemRow(props: RowProps) {
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
