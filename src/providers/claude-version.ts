/**
 * Which Claude a model name means, as major × 100 + minor: 405 for `claude-haiku-4-5`. A Claude without a
 * number is the newest, and null is a model of somebody else.
 */
export function claudeVersion(model: string): number | null {
  const name = /claude-(.*)/.exec(model)?.[1];
  if (name === undefined) return null;
  // A release date follows in the same way as a minor version, but has eight digits.
  const numbers = /(?:^|-)(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(name);
  if (numbers === null) return Number.POSITIVE_INFINITY;
  return Number(numbers[1]) * 100 + Number(numbers[2] ?? 0);
}
