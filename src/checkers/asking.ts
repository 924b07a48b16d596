import type { Checker } from "./contract.ts";

/** The checker, with the keys of the providers that it and its parts ask. */
export const asking = (checker: Checker, parts: readonly Checker[], own: readonly string[] = []): Checker =>
  Object.assign(checker, { asks: [...new Set([...own, ...parts.flatMap(({ asks = [] }) => asks)])] });
