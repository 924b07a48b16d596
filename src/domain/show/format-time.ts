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
