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
