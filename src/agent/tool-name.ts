/** What every provider takes as the name of a tool. */
export const MAX_NAME_CHARACTERS = 64;

/** A name that every provider takes: letters, digits, _ and -, at most 64 of them. */
export const toToolName = (name: string): string =>
  name.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, MAX_NAME_CHARACTERS);
