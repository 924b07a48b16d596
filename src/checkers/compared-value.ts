/** What of a result is compared: its `value` field where a single value is expected, else the whole. */
export function comparedValue(result: unknown, expected: unknown): unknown {
  const isOneValue = expected === null || typeof expected !== "object";
  if (!isOneValue || typeof result !== "object" || result === null) return result;
  return Object.hasOwn(result, "value") && "value" in result ? result.value : result;
}

/** The same as text, for checkers that look into one. */
export function comparedText(result: unknown): string {
  const value = comparedValue(result, "");
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
