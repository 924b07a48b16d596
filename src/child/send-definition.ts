import type { Json } from "../domain/json.ts";
import { readItem } from "../domain/run/problem-item.ts";
import type { FromChild } from "../isolation/isolation.ts";

type Definition = Extract<FromChild, { kind: "definition" }>;
type Items = NonNullable<Definition["problems"]>;
type Path = Definition["functions"][number];

/** So much text of problems goes in one message. */
const MOST_TEXT = 512 * 1024;
const MOST_LEVELS = 64;

/** Puts a definition's plain data apart from its functions, which stay in their own process. */
export class DefinitionSource {
  readonly #options: unknown;
  #items: AsyncIterator<unknown> | null = null;

  constructor(options: unknown) {
    this.#options = options;
  }

  describe(): Definition {
    const found = { functions: [] as Path[], others: [] as Definition["others"] };
    const options = plain(this.#options, [], { ...found, above: [] });
    const problems: unknown = Object(this.#options).problems;
    const list = Array.isArray(problems) ? problems : null;
    const asks: unknown = Object(Object(this.#options).resultChecker).asks;
    return {
      ...{ kind: "definition", options, ...found },
      asks: Array.isArray(asks) ? asks.map(String) : null,
      hasProblems: isIterable(problems),
      problemCount: list?.length ?? null,
      problems: list && allItems(list),
    };
  }

  /** The next ones, as far as they go into one message. */
  async more(most: number): Promise<Extract<FromChild, { kind: "problems" }>> {
    const items: Items = [];
    try {
      this.#items ??= iterate(Object(this.#options).problems);
      for (let text = 0; items.length < most && text < MOST_TEXT; ) {
        const next = await this.#items.next();
        if (next.done) return { kind: "problems", items, isLast: true, threw: null };
        const item = readItem(next.value);
        text += JSON.stringify(item).length;
        items.push(item as Items[number]);
      }
      return { kind: "problems", items, isLast: false, threw: null };
    } catch (error) {
      return { kind: "problems", items, isLast: true, threw: toThrown(error) };
    }
  }
}

async function* iterate(problems: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<unknown> {
  yield* problems;
}

/** All problems of a list that is not too long for one message. */
function allItems(problems: readonly unknown[]): Items | null {
  const items: Items = [];
  let text = 0;
  for (const problem of problems) {
    const item = readItem(problem);
    text += JSON.stringify(item).length;
    if (text > MOST_TEXT) return null;
    items.push(item as Items[number]);
  }
  return items;
}

const isIterable = (value: unknown): boolean =>
  typeof value === "object" && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);

function toThrown(error: unknown): { name: string; code: string | null; message: string } {
  if (!(error instanceof Error)) return { name: "", code: null, message: String(error) };
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  return { name: error.name, code, message: error.message };
}

interface Found extends Pick<Definition, "functions" | "others"> {
  /** The objects that hold what is looked at. */
  readonly above: readonly object[];
}

/** The same as JSON, with null where no JSON is. */
function plain(value: unknown, path: Path, found: Found): Json {
  const other = (text: string) => {
    found.others.push({ path, text });
    return null;
  };
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : other(String(value));
    case "function":
      found.functions.push(path);
      return null;
    case "object":
      if (value === null || path.length > MOST_LEVELS) return null;
      if (found.above.includes(value)) return other("a cycle");
      return plainObject(value, path, { ...found, above: [...found.above, value] });
    default:
      return other(typeof value === "bigint" ? `${value}n` : String(value));
  }
}

/** A tool has schemas in it, and methods that may be those of its class. */
const OF_A_TOOL = ["name", "run", "open", "timeoutSeconds"];

function plainObject(value: object, path: Path, found: Found): Json {
  if (Array.isArray(value)) return value.map((item, at) => plain(item, [...path, at], found));
  const isTool = path[0] === "tools" && path.length === 2;
  const kind = value.constructor?.name ?? "Object";
  if (!isTool && path.length > 0 && kind !== "Object") {
    found.others.push({ path, text: kind });
    return null;
  }
  // Only the agent's own process needs their values.
  if (path.length === 1 && path[0] === "variants")
    return Object.fromEntries(Object.keys(value).map((name) => [name, null]));
  const names = isTool ? OF_A_TOOL : Object.keys(value);
  const fields = names.flatMap((name) => {
    const field: unknown = Reflect.get(value, name);
    if (field === undefined || (path.length === 0 && name === "problems" && isIterable(field))) return [];
    return [[name, plain(field, [...path, name], found)] as const];
  });
  return Object.fromEntries(fields);
}
