import { type Digest, ProblemId } from "./ids.ts";
import { canonicalJson, definedFields, type Json } from "./json.ts";
import { ItemParts, readItem, refuseItem } from "./run/problem-item.ts";

/** Task for the agent, with an optional expected value that only the checker sees. */
export interface Problem {
  readonly id: ProblemId;
  readonly problem: Json;
  readonly expected: Json | null;
  readonly tags: readonly string[];
  /** Kept with each run of it; at most 2 KB. */
  readonly metadata?: Json;
}

/** A digest of what a problem is, whatever its id. */
export const digestOfProblem = (
  { problem, expected }: Pick<Problem, "problem" | "expected">,
  digest: Digest,
): string => digest(canonicalJson([problem, expected])).slice(0, 32);

/** One digest of all problems' ids and contents, whatever their order. */
export const digestOfProblems = (problems: readonly Problem[], digest: Digest): string =>
  digest(JSON.stringify(problems.map((each) => [each.id, digestOfProblem(each, digest)]).toSorted())).slice(
    0,
    32,
  );

/** The type of what the agent is given of an item of `problems`. */
export type ProblemOf<Item> = Item extends { readonly problem: infer Given }
  ? Given
  : Item extends readonly [infer Given, unknown]
    ? Given
    : IsList<Item> extends true
      ? Item | ElementOf<Item>
      : Item;

/** A list of no known length may be a pair. */
type IsList<Item> = Item extends readonly unknown[] ? (number extends Item["length"] ? true : false) : false;
type ElementOf<Item> = Item extends readonly (infer Element)[] ? Element : never;

/** The type of what the checker is given as expected; `null` where an item says nothing. */
export type ExpectedOf<Item> = unknown extends Item
  ? unknown
  : Item extends readonly [unknown, infer Expected]
    ? Expected
    : Item extends { readonly problem: unknown; readonly expected: infer Expected }
      ? [Expected] extends [undefined]
        ? null
        : Expected
      : Item extends { readonly problem: unknown; readonly expected?: infer Expected }
        ? MaybeExpected<Item, Expected>
        : IsList<Item> extends true
          ? ElementOf<Item> | null
          : null;

type MaybeExpected<Item, Expected> = "expected" extends keyof Item
  ? Exclude<Expected, undefined> | null
  : null;

export type ReadProblem =
  /** A repeated one was there before: another run of it would be a trial, and no further evidence. */
  { kind: "problem" | "repeated"; problem: Problem } | { kind: "refused"; path: string; why: string };

/**
 * Gives ids to what users write: an item, `[problem, expected]` (an array of exactly two),
 * or `{ problem, expected, id, tags }`. An id is made of the content, never of the index.
 */
export function problemReader(digest: Digest): (item: unknown) => ReadProblem {
  const contents = new Map<string, string>();
  return (item) => {
    const parts = item instanceof ItemParts ? item.parts : readItem(item);
    if (parts.kind === "refused") return parts;
    const { problem, expected, id, tags, metadata } = parts;
    const content = { problem, expected };
    const hash = digest(canonicalJson(content)).slice(0, LONG_ID);
    const found = id ?? idByContent(hash, contents);
    const checked = ProblemId.safeParse(found);
    if (!checked.success)
      return refuseItem("id", `${JSON.stringify(found)}: ${checked.error.issues[0]?.message}`);
    const before = contents.get(checked.data);
    if (before !== undefined && before !== hash)
      return refuseItem("id", `${JSON.stringify(found)} is given twice; ids must be unique`);
    contents.set(checked.data, hash);
    const kind = before === undefined ? "problem" : "repeated";
    return { kind, problem: { id: checked.data, ...content, tags, ...definedFields({ metadata }) } };
  };
}

const SHORT_ID = 12;
const LONG_ID = 24;

/** Short, unless another content has the short one already. */
function idByContent(hash: string, contents: ReadonlyMap<string, string>): string {
  const short = hash.slice(0, SHORT_ID);
  return (contents.get(short) ?? hash) === hash ? short : hash;
}
