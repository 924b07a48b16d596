import { type Checker, cannotSay, comparedValue, type Finding, right, showValue, wrong } from "./checker.ts";

/** What arithmetic on binary fractions is off by. */
const ROUNDING = 1e-9;

export interface NumericOptions {
  /** How far off the number may be. */
  readonly tolerance?: number;
  /** How far off it may be as a share of the expected number: 0.01 is 1%. */
  readonly relative?: number;
  /** Takes the last number in a text, instead of a text that is a number. */
  readonly findInText?: boolean;
}

/** The result is the expected number, or close enough to it; `1,234.50` in a text is a number too. */
export const numeric =
  ({ tolerance = 0, relative = 0, findInText = false }: NumericOptions = {}): Checker =>
  (result, expected): Finding => {
    const wanted = toNumber(expected, false);
    if (wanted === null) return cannotSay(`the expected value ${showValue(expected)} is not a number`);
    const value = comparedValue(result, wanted);
    const number = toNumber(value, findInText);
    if (number === null) return wrong(`${showValue(value)} is not a number, expected ${wanted}`);
    const allowed = Math.max(tolerance, Math.abs(wanted) * Math.max(relative, ROUNDING));
    const off = Math.abs(number - wanted);
    if (off <= allowed)
      return right(off === 0 ? `is ${number}, as expected` : `is ${number}, close enough to ${wanted}`);
    return wrong(`is ${number}, expected ${wanted}${tolerance > 0 || relative > 0 ? ` ± ${allowed}` : ""}`);
  };

const NUMBER = /[-+−]?(?:\d{1,3}(?:[, ]\d{3})+|\d+)?(?:\.\d+)?(?:e[-+]?\d+)?/;
const WHOLE = new RegExp(`^\\s*${NUMBER.source}\\s*$`, "i");
const EVERY = new RegExp(NUMBER.source, "gi");

function toNumber(value: unknown, findInText: boolean): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string") return null;
  if (!findInText) return WHOLE.test(value) ? readNumber(value) : null;
  return value.match(EVERY)?.reduce<number | null>((last, text) => readNumber(text) ?? last, null) ?? null;
}

function readNumber(text: string): number | null {
  const plain = text.replace(/[,\s]/g, "").replace("−", "-");
  const number = /\d/.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}
