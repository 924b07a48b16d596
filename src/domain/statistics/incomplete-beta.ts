/** The regularised incomplete beta function I_x(a, b), by its continued fraction; right to about 1e-12. */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges fast only on this side of the peak.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const logFront = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  return (Math.exp(logFront) / a) * betaFraction(x, a, b);
}

const MOST_STEPS = 100_000;
const TINY = 1e-300;

/** Lentz's method, with Thompson and Barnett's guard against a zero in a denominator. */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / guarded(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= MOST_STEPS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    const before = value;
    for (const step of [even, odd]) {
      d = 1 / guarded(1 + step * d);
      c = guarded(1 + step / c);
      value *= c * d;
    }
    if (Math.abs(value - before) <= 1e-16 * Math.abs(value)) break;
  }
  return value;
}

const guarded = (denominator: number): number => (Math.abs(denominator) < TINY ? TINY : denominator);

/** Lanczos' approximation with Godfrey's coefficients for g = 7; right to about 1e-15 of its value. */
function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const t = x + 6.5;
  const series = LANCZOS.reduce((sum, coefficient, at) => sum + coefficient / (x + at), 0.99999999999980993);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(series);
}

const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;
