import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useMemo } from "react";

export interface ShownModel {
  readonly model: string;
  /** Among the evaluation's models. */
  readonly index: number;
  /** Where it stands in the grid; the problems have the first column. */
  readonly column: number;
}

/** Those models whose column is in view, or about to be; the others would only make scrolling slow. */
export function useColumnsInView(
  place: RefObject<HTMLElement | null>,
  models: readonly ShownModel[],
  cellPx: number,
): readonly ShownModel[] {
  const virtual = useVirtualizer({
    horizontal: true,
    count: models.length,
    getScrollElement: () => place.current,
    estimateSize: () => cellPx,
    // The column of problems stays in view, so that one more than it seems can be beside it.
    overscan: 4,
  });
  const range = virtual.range;
  const [first, last] = [range?.startIndex ?? 0, range?.endIndex ?? models.length];
  return useMemo(() => models.slice(Math.max(0, first - 4), last + 5), [models, first, last]);
}
