/** Number of shards that may be in flight, and of runs of each; together never more than was allowed. */
export interface Shares {
  readonly shardsInFlight: number;
  /** For each shard, in the order in which they are started. */
  readonly runsInFlight: readonly number[];
}

/**
 * Shares a number of runs in flight among shards of the given sizes. A shard keeps its share from its start to its
 * end, so whatever it cannot fill is lost: of all ways to share, the one that should end first is taken.
 */
export function shareConcurrency(concurrency: number, sizes: readonly number[]): Shares {
  const ways = [...sideBySide(concurrency, sizes), ...oneAfterAnother(concurrency, sizes)];
  const good = ways.filter(({ used }) => used >= MIN_USED);
  const [best] = (good.length > 0 ? good : ways).toSorted((a, b) => a.time - b.time);
  return best?.shares ?? { shardsInFlight: 1, runsInFlight: [] };
}

/** Which part of what is allowed has to be in flight, by our reckoning, while shards wait for their turn. */
const MIN_USED = 0.93;

interface Way {
  readonly shares: Shares;
  readonly used: number;
  /** In durations of one run. */
  readonly time: number;
}

/** All shards at once, each with a share that fits its size, so that they end together. */
function sideBySide(concurrency: number, sizes: readonly number[]): Way[] {
  if (sizes.length === 0 || sizes.length > concurrency) return [];
  const all = sum(sizes);
  const exact = sizes.map((size) => Math.min(size, Math.max(1, (concurrency * size) / Math.max(1, all))));
  const shares = exact.map((share) => Math.max(1, Math.floor(share)));
  const byRemainder = exact
    .map((share, index) => ({ index, remainder: share - Math.floor(share) }))
    .toSorted((a, b) => b.remainder - a.remainder);
  let left = concurrency - sum(shares);
  for (const { index, remainder } of byRemainder) {
    if (left <= 0 || remainder === 0) break;
    shares[index] = (shares[index] ?? 0) + 1;
    left--;
  }
  if (left < 0) return [];
  const time = Math.max(...sizes.map((size, index) => durationOf(size, shares[index] ?? 1)));
  return [{ shares: { shardsInFlight: sizes.length, runsInFlight: shares }, used: 1, time }];
}

/** Equal shares, for a few shards at a time; the next one starts when another has ended. */
function oneAfterAnother(concurrency: number, sizes: readonly number[]): Way[] {
  const largest = Math.max(0, ...sizes);
  const large = sizes.filter((size) => size > largest / 2).length;
  return Array.from({ length: Math.min(concurrency, sizes.length) }, (_, index): Way => {
    const shardsInFlight = index + 1;
    const share = Math.floor(concurrency / shardsInFlight);
    const evenly = sum(sizes.map((size) => durationOf(size, share))) / shardsInFlight;
    const inTurns = Math.ceil(large / shardsInFlight) * durationOf(largest, share);
    const fullTime = Math.max(1, largest) / Math.max(1, Math.min(share, largest));
    return {
      shares: { shardsInFlight, runsInFlight: sizes.map(() => share) },
      used: ((share * shardsInFlight) / concurrency) * (fullTime / durationOf(largest, share)),
      time: Math.max(evenly, inTurns),
    };
  });
}

/** Runs differ in length, so at a shard's end its share empties slowly: about as long as the logarithm of the share. */
function durationOf(runs: number, share: number): number {
  const used = Math.max(1, Math.min(share, runs));
  return runs / used + Math.log(used);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
