/** A share as a percentage; only all is 100% and only none is 0%. */
export function formatShare(share: number | null): string {
  if (share === null) return "–";
  if (share === 0 || share === 1) return `${share * 100}%`;
  const percent = Math.min(99.9, Math.max(0.1, share * 100));
  return `${percent.toFixed(1)}%`;
}
