/** Two sides of a comparison, each a model of an evaluation. */
interface CompareSearch {
  readonly a?: string;
  readonly aModel?: string;
  readonly b?: string;
  readonly bModel?: string;
  readonly problem?: string;
}

const NAMES = ["a", "aModel", "b", "bModel", "problem"] as const;

export const readCompareSearch = (search: Record<string, unknown>): CompareSearch =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = search[name];
      return typeof value === "string" && value !== "" ? [[name, value]] : [];
    }),
  );
