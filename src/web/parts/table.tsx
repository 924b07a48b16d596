import type { ReactNode } from "react";

export interface TableColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
  /** Explains the column. */
  readonly hint?: string;
  /** A number that is larger for what comes first; null comes last. */
  readonly rank?: (row: Row) => number | null;
}

interface TableProps<Row> {
  /** Describes the table to those who cannot see it. */
  readonly name: string;
  readonly className: "wide" | "cards";
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The first one names the row. */
  readonly columns: readonly TableColumn<Row>[];
  /** The title of the column by which rows are sorted; without it they stay as they are. */
  readonly sortedBy?: string;
  readonly onSort?: (title: string) => void;
}

/** Shows a row per item; one that is too wide scrolls, or becomes a card where there is no room for columns. */
export function Table<Row>({ name, className, keyOf, columns, sortedBy, onSort, ...props }: TableProps<Row>) {
  const rank = columns.find(({ title }) => title === sortedBy)?.rank;
  const rows = rank
    ? props.rows.toSorted((a, b) => (rank(b) ?? -Infinity) - (rank(a) ?? -Infinity))
    : props.rows;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the keys.
    <div className="scroll-x" role="region" aria-label={name} tabIndex={0}>
      <table className={className}>
        <thead>
          <tr>
            {columns.map(({ title, hint, isNumber, rank: mayRank }) => (
              <th
                key={title}
                scope="col"
                className={isNumber ? "number" : undefined}
                aria-sort={title === sortedBy ? "descending" : undefined}
              >
                {onSort && mayRank ? (
                  <button type="button" title={hint} onClick={() => onSort(title)}>
                    {title}
                    {title === sortedBy ? " ▾" : ""}
                  </button>
                ) : (
                  title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, isNumber }, at) =>
                at === 0 ? (
                  <th key={title} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={title} className={isNumber ? "number" : undefined} data-title={title}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
