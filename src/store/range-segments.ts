import type { RunSpan } from "../domain/run-number.ts";
import type { RunRange } from "../domain/run-range.ts";

export interface Segment extends RunSpan {
  readonly range: RunRange;
}

/** Lays ranges side by side, in plan order; where several overlap, the one of the highest round is there. */
export function layRanges(ranges: readonly RunRange[]): readonly Segment[] {
  const edges = [...new Set(ranges.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const waiting = [...ranges].sort((a, b) => b.from - a.from);
  let open: RunRange[] = [];
  return edges.flatMap((from, number) => {
    open = open.filter(({ to }) => to > from);
    for (let last = waiting.at(-1); last?.from === from; last = waiting.at(-1)) {
      open.push(last);
      waiting.pop();
    }
    const to = edges[number + 1];
    const range = highest(open);
    return to === undefined || range === undefined ? [] : [{ from, to, range }];
  });
}

export const overlaps = (a: RunSpan, b: RunSpan): boolean => a.from < b.to && b.from < a.to;

export const common = (a: RunSpan, b: RunSpan): RunSpan => ({
  from: Math.max(a.from, b.from),
  to: Math.min(a.to, b.to),
});

const highest = (ranges: readonly RunRange[]): RunRange | undefined =>
  ranges.reduce<RunRange | undefined>(
    (best, range) => (best === undefined || range.round > best.round ? range : best),
    undefined,
  );
