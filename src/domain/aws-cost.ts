/** AWS's list prices in dollars, for arm64 in most regions; taxes, free tiers and discounts aside. */
const PER_GB_SECOND = 0.000_013_333_4;
const PER_REQUEST = 0.000_000_2;
/** Durable operations of one run: its invocation, and its share of what a shard does. */
const DURABLE_PER_RUN = 0.000_008;
/** Its entry, its progress, what it spent and its object. */
const TABLE_PER_RUN = 0.000_007_5;

/** What AWS takes for runs that take so many seconds together, beside what their models cost. */
export const awsCostUsd = (runs: number, seconds: number, memoryMb: number): number =>
  seconds * (memoryMb / 1_024) * PER_GB_SECOND + runs * (PER_REQUEST + DURABLE_PER_RUN + TABLE_PER_RUN);
