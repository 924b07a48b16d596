import { cellOf, countRight, type GridRow, type GridShape, type VerdictGrid } from "../data/grid.ts";

export interface PairRow {
  readonly id: string;
  readonly text: string;
  readonly cellA: string;
  readonly cellB: string;
  /** The first run of each side. */
  readonly numberA: number;
  readonly numberB: number;
  /** By how much A is better: the difference of the shares of right answers. */
  readonly lead: number;
}

type Side = Pick<VerdictGrid, "rows" | "shape"> & { readonly model: string };

/** Pairs the problems that both sides have, those on which they differ most first. */
export function pairRows(a: Side, b: Side): readonly PairRow[] {
  const inB = new Map(b.rows.map((row) => [row.id, row]));
  const modelA = a.shape.models.indexOf(a.model);
  const modelB = b.shape.models.indexOf(b.model);
  if (modelA === -1 || modelB === -1) return [];
  const pairs = a.rows.flatMap((rowA) => {
    const rowB = inB.get(rowA.id);
    if (rowB === undefined) return [];
    const cellA = cellOf(rowA, a.shape, modelA);
    const cellB = cellOf(rowB, b.shape, modelB);
    const { id, text } = rowA;
    const numberA = firstRun(rowA, a.shape, modelA);
    const numberB = firstRun(rowB, b.shape, modelB);
    return [{ id, text, cellA, cellB, numberA, numberB, lead: share(cellA) - share(cellB) }];
  });
  return pairs.sort((x, y) => Math.abs(y.lead) - Math.abs(x.lead));
}

const firstRun = ({ place }: GridRow, { models, trials }: GridShape, model: number): number =>
  (place * models.length + model) * trials;

const share = (cell: string): number => (cell.length === 0 ? 0 : countRight(cell) / cell.length);
