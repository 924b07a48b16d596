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
