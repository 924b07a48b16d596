import { type Digest, ProblemId } from "./ids.ts";
import { canonicalJson, type Json, toStored } from "./json.ts";

/** Task for the agent, with an optional expected value that only the checker sees. */
export interface Problem {
  readonly id: ProblemId;
  readonly problem: Json;
  readonly expected: Json | null;
  readonly tags: readonly string[];
}

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
    const parts = split(item);
    if (parts.kind === "refused") return parts;
    const { problem, expected, id, tags } = parts;
    const problemText = toStored(problem, "problem");
    if (problemText.kind === "unstorable") return refuse("problem", `cannot be stored: ${problemText.why}`);
    const expectedText = toStored(expected ?? null, "expected");
    if (expectedText.kind === "unstorable")
      return refuse("expected", `cannot be stored: ${expectedText.why}`);
    const content = {
      problem: JSON.parse(problemText.text) as Json,
      expected: JSON.parse(expectedText.text) as Json,
    };
    const hash = digest(canonicalJson(content)).slice(0, LONG_ID);
    const found = id ?? idByContent(hash, contents);
    const checked = ProblemId.safeParse(found);
    if (!checked.success)
      return refuse("id", `${JSON.stringify(found)}: ${checked.error.issues[0]?.message}`);
    const before = contents.get(checked.data);
    if (before !== undefined && before !== hash)
      return refuse("id", `${JSON.stringify(found)} is given twice; ids are unique`);
    contents.set(checked.data, hash);
    const kind = before === undefined ? "problem" : "repeated";
    return { kind, problem: { id: checked.data, ...content, tags } };
  };
}

const SHORT_ID = 12;
const LONG_ID = 24;

/** Short, unless another content has the short one already. */
function idByContent(hash: string, contents: ReadonlyMap<string, string>): string {
  const short = hash.slice(0, SHORT_ID);
  return (contents.get(short) ?? hash) === hash ? short : hash;
}

interface Parts {
  readonly kind: "parts";
  readonly problem: unknown;
  readonly expected?: unknown;
  readonly id?: string;
  readonly tags: readonly string[];
}

const refuse = (path: string, why: string): { kind: "refused"; path: string; why: string } => ({
  kind: "refused",
  path,
  why,
});

function split(item: unknown): Parts | { kind: "refused"; path: string; why: string } {
  if (Array.isArray(item)) {
    if (item.length === 2) return { kind: "parts", problem: item[0], expected: item[1], tags: [] };
    return { kind: "parts", problem: item, tags: [] };
  }
  if (item === null || typeof item !== "object" || !("problem" in item)) {
    return { kind: "parts", problem: item, tags: [] };
  }
  return splitNamed(item as Record<string, unknown>);
}

const NAMES = new Set(["problem", "expected", "id", "tags"]);

function splitNamed(item: Record<string, unknown>): Parts | { kind: "refused"; path: string; why: string } {
  const unknown = Object.keys(item).find((key) => !NAMES.has(key));
  if (unknown !== undefined) {
    return refuse(unknown, "is not known beside problem, expected, id and tags; put it inside problem");
  }
  const { id, tags } = item;
  if (id !== undefined && typeof id !== "string") return refuse("id", `expected a string, got ${typeof id}`);
  const named = tags ?? [];
  if (!Array.isArray(named) || !named.every((tag) => typeof tag === "string")) {
    return refuse("tags", "expected a list of strings");
  }
  return {
    kind: "parts",
    problem: item.problem,
    expected: item.expected,
    ...(id === undefined ? {} : { id }),
    tags: named,
  };
}
