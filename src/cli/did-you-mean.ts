/** ` Did you mean "run"?` when a known word is close to what was typed, otherwise nothing. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const [best] = known
    .map((word) => ({ word, distance: distanceBetween(typed.toLowerCase(), word.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  if (best === undefined || best.distance > Math.max(1, Math.floor(best.word.length / 3))) return "";
  return ` Did you mean ${best.word}?`;
}

/** Letters to insert, drop, replace or swap with their neighbour. */
function distanceBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= a.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY;
      const cheapest = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + same,
      );
      rows[row]?.push(Math.min(cheapest, swapped));
    }
  }
  return at(a.length, b.length);
}
