/** A moment in the reader's own time zone: 2026-11-18 08:40. */
export function formatTime(iso: string): string {
  const date = new Date(iso);
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
