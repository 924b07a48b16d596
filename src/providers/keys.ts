export type Variables = Readonly<Record<string, string | undefined>>;

/** The value of an environment variable; a blank one counts as not set. */
export function readVariable(name: string, variables: Variables = process.env): string | null {
  const value = variables[name]?.trim();
  return value ? value : null;
}
