const MAX_CHARACTERS = 120;

/** A value as a reason shows it: JSON, and not too much of it. */
export function showValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
