/** A source of whole numbers from 0 to 2³² − 1, each as likely as any other. */
export type RandomBits = () => number;

/** The same seed gives the same numbers on every machine, so a number made with it can be made again. */
export function seededBits(seed: number): RandomBits {
  const next = splitmix32(seed);
  return xoshiro128([next(), next(), next(), next()]);
}

/** xoshiro128** of Blackman and Vigna. */
export function xoshiro128(state: readonly [number, number, number, number]): RandomBits {
  let [a, b, c, d] = state;
  return () => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return result;
  };
}

/** A whole number from 0 up to, but not, `end`. */
export const bitsBelow = (bits: RandomBits, end: number): number => Math.floor((bits() / 2 ** 32) * end);

const rotateLeft = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** Spreads one seed over a state: xoshiro needs one that is not all zeros. */
function splitmix32(seed: number): RandomBits {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let word = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
    return (word ^ (word >>> 15)) >>> 0;
  };
}
