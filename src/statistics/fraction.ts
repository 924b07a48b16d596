/** A number as it is on paper; what it is divided by is above 0. */
export interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

/**
 * The fraction that a number stands for: a decimal of at most nine places, as dollars have, is what was written, and any
 * other number the first of the fractions that near it by continued fractions and round to it. For a share with fewer
 * than 2²⁴ parts that is the one it was divided from (Legendre's theorem), since no such decimal rounds to the same number.
 */
export function fractionOf(value: number): Fraction {
  const size = Math.abs(value);
  const found = shortDecimal(size) ?? nearestFraction(size);
  return value < 0 ? { ...found, over: -found.over } : found;
}

const MOST_PLACES = 9;

function shortDecimal(size: number): Fraction | null {
  const [, whole = "", part = "", exponent = "0"] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(size)) ?? [];
  const digits = BigInt(whole + part);
  const tens = Number(exponent) - part.length;
  if (tens < -MOST_PLACES) return null;
  if (tens >= 0) return { over: digits * 10n ** BigInt(tens), under: 1n };
  const under = 10n ** BigInt(-tens);
  const common = divisorOf(digits, under);
  return { over: digits / common, under: under / common };
}

function nearestFraction(size: number): Fraction {
  let [before, found]: [Fraction, Fraction] = [
    { over: 0n, under: 1n },
    { over: 1n, under: 0n },
  ];
  let { over, under } = inHalves(size);
  while (under > 0n && toNumber(found) !== size) {
    const times = over / under;
    const next = { over: times * found.over + before.over, under: times * found.under + before.under };
    [before, found] = [found, next];
    [over, under] = [under, over % under];
  }
  return found;
}

export const toNumber = ({ over, under }: Fraction): number => Number(over) / Number(under);

export const subtract = (a: Fraction, b: Fraction): Fraction => ({
  over: a.over * b.under - b.over * a.under,
  under: a.under * b.under,
});

/** The same in whole numbers, of one unit that divides them all. */
export function inOneUnit(fractions: readonly Fraction[]): bigint[] {
  const common = fractions.reduce((all, { under }) => (all / divisorOf(all, under)) * under, 1n);
  return fractions.map(({ over, under }) => over * (common / under));
}

const divisorOf = (a: bigint, b: bigint): bigint => (b === 0n ? a : divisorOf(b, a % b));

/** A number as it is in memory, where it is always some halves of halves. */
function inHalves(value: number): Fraction {
  let [over, under] = [value, 1n];
  for (; Math.abs(over % 1) > 0; over *= 2) under *= 2n;
  return { over: BigInt(over), under };
}
