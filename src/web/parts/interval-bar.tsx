/** A share and its interval on a line from 0 to 1; the numbers stand beside it. */
export function IntervalBar({
  value,
  low,
  high,
}: {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}) {
  return (
    <div className="interval" aria-hidden="true">
      <span className="range" style={{ left: `${low * 100}%`, width: `${(high - low) * 100}%` }} />
      <span className="point" style={{ left: `${value * 100}%` }} />
    </div>
  );
}
