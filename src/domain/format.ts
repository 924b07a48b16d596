import type { Json } from "./json.ts";

/** `+8.0` or `−8.0`: a difference of shares in points. */
export function formatPoints(difference: number): string {
  const points = Math.abs(difference * 100).toFixed(1);
  if (points === "0.0") return points;
  return `${difference < 0 ? "−" : "+"}${points}`;
}

/** `0.21`, `0.012`, `<0.001`: as many digits as matter. */
export function formatP(p: number): string {
  if (p < 0.001) return "<0.001";
  // What is 0.125 on paper may be a last bit less.
  return (p + 1e-12).toFixed(p < 0.1 ? 3 : 2);
}

/** A moment in the reader's own time zone: 2026-11-18 08:40. */
export function formatTime(iso: string): string {
  const date = new Date(iso);
  return `${dayOf(date)} ${clockOf(date)}`;
}

/** The same in eleven columns: today 08:40, or the day. */
export function formatShortTime(iso: string, now: Date): string {
  const date = new Date(iso);
  return dayOf(date) === dayOf(now) ? `today ${clockOf(date)}` : dayOf(date);
}

const two = (number: number): string => String(number).padStart(2, "0");
const dayOf = (date: Date): string =>
  `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
const clockOf = (date: Date): string => `${two(date.getHours())}:${two(date.getMinutes())}`;

/** A share as a percentage; only all is 100% and only none is 0%. */
export function formatShare(share: number | null): string {
  if (share === null) return "–";
  if (share === 0 || share === 1) return `${share * 100}%`;
  const percent = Math.min(99.9, Math.max(0.1, share * 100));
  return `${percent.toFixed(1)}%`;
}

/** 420ms, 1.2s, 42s, 2m 05s, 1h 02m, 3d 04h: two units at most. */
export function formatDuration(seconds: number): string {
  const ms = Math.round(seconds * 1_000);
  if (ms < 1_000) return `${ms}ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < MINUTE) return `${whole}s`;
  if (whole < HOUR) return twoUnits(whole, MINUTE, "m", 1, "s");
  if (whole < DAY) return twoUnits(whole, HOUR, "h", MINUTE, "m");
  return twoUnits(whole, DAY, "d", HOUR, "h");
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function twoUnits(seconds: number, large: number, largeUnit: string, small: number, smallUnit: string) {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${largeUnit} ${String(rest).padStart(2, "0")}${smallUnit}`;
}

/** Dollars; what is not known is never shown as $0, and a sum that misses some runs says so. */
export function formatCost(costUsd: number | null, runsWithUnknownCost = 0): string {
  if (costUsd === null) return "unknown";
  return `${runsWithUnknownCost > 0 ? "≥" : ""}${formatUsd(costUsd)}`;
}

function formatUsd(usd: number): string {
  if (usd === 0) return "$0";
  if (usd >= 1_000) return `$${Math.round(usd).toLocaleString("en-US")}`;
  if (usd >= 0.01) return `$${usd.toFixed(2)}`;
  if (usd < 1e-6) return "<$0.000001";
  // Two digits that mean something: $0.0031, $0.00012.
  const digits = Math.min(6, 1 - Math.floor(Math.log10(usd)));
  return `$${usd.toFixed(digits)}`;
}

/** 999, 1.2k, 12.3k, 123k, 1.2M: at most five characters up to the billions. */
export function formatCount(count: number): string {
  const step = STEPS.find(({ from }) => count >= from);
  if (step === undefined) return String(count);
  const scaled = count / step.size;
  // Cut, not rounded: 999,999 stays 999k and never becomes 1000k.
  const text = scaled < 100 ? (Math.floor(scaled * 10) / 10).toFixed(1) : String(Math.floor(scaled));
  return `${text}${step.unit}`;
}

const STEPS = [
  { from: 1e9, size: 1e9, unit: "B" },
  { from: 1e6, size: 1e6, unit: "M" },
  { from: 1e3, size: 1e3, unit: "k" },
] as const;

/** `1 run`, `2 runs`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** A value on one line: a text as it is, anything else as JSON. */
export function preview(value: Json | undefined, maxLength = 500): string {
  if (value === undefined) return "";
  if (typeof value === "string") return firstLine(value, maxLength);
  return JSON.stringify(value).slice(0, maxLength);
}

/** The first line that says something, of a text that may be long. */
export function firstLine(text: string, maxLength = 500): string {
  const start = text.slice(0, maxLength * 4).trimStart();
  return start.split(/\r?\n/, 1)[0]?.slice(0, maxLength).trimEnd() ?? "";
}

/** Returns ` Did you mean run?` when a known word is close to what was typed, otherwise nothing. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const [best] = known
    .map((word) => ({ word, distance: distanceBetween(typed.toLowerCase(), word.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  if (best === undefined || best.distance > Math.max(1, Math.floor(best.word.length / 3))) return "";
  return ` Did you mean ${best.word}?`;
}

/** Counts letters to insert and drop; a wrong letter and two swapped ones are a pair of these, and one mistake. */
const distanceBetween = (a: string, b: string): number =>
  Math.ceil((a.length + b.length - 2 * commonLetters(a, b)) / 2);

/** Counts the letters of the longest text that both become by dropping some. */
function commonLetters(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const letter of a) {
    const before = row;
    row = [0];
    for (let at = 0; at < b.length; at++) {
      const same = letter === b[at] ? (before[at] ?? 0) + 1 : 0;
      row.push(Math.max(same, before[at + 1] ?? 0, row[at] ?? 0));
    }
  }
  return row.at(-1) ?? 0;
}
