import * as z from "zod";

/** The value of a JSON text; undefined, which no JSON is, when the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // JSON.parse throws for nothing else.
  }
}

type Given<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** Leaves out the fields that were not given. */
export const givenOnly = <Fields extends object>(fields: Fields): Partial<Given<Fields>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<
    Given<Fields>
  >;

/** Value that can be stored and shown again unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Depth that a value from people, agents or models may have: far more than they write. */
export const MAX_LEVELS = 128;
/** The same of a text that wraps such values: a message, a request, a reply. */
export const MAX_TEXT_LEVELS = 192;
/**
 * Number of lists, objects, keys and texts that such a text may have: each takes far more memory than its few bytes. A stream
 * of events repeats some twenty of them for every token.
 */
export const MAX_TEXT_PARTS = 500_000;
const MAX_STREAM_PARTS = 4_000_000;
/** The same of what is read back, wrapped once more: a third of what zod, redaction or SDKs walk before their stack is full. */
export const MAX_HELD_LEVELS = 512;

/** Says whether a value is an object with keys, and not a list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields that are not undefined, where a key without a value would be refused. */
export const definedFields = <Fields extends object>(fields: Fields): DefinedFields<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as DefinedFields<Fields>;

type DefinedFields<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

// Marked pure, so that the bundle of a run that checks nothing with zod holds none of it.
export const Json: z.ZodType<Json> = /* @__PURE__ */ jsonSchema();

type Stored = { kind: "json"; text: string } | { kind: "unstorable"; why: string };

/** The JSON text that will be stored for a value, or the first place in it that no JSON can hold. */
export function toStored(value: unknown, name = "result"): Stored {
  try {
    const why = findUnstorable(value, name, []);
    return why === null ? { kind: "json", text: JSON.stringify(value) } : { kind: "unstorable", why };
  } catch (error) {
    const message = error instanceof Error ? error.message : "not with an Error";
    return { kind: "unstorable", why: `${name} threw while it was read: ${message.slice(0, 200)}` };
  }
}

const MAX_METADATA_BYTES = 2_048;

/** Says why something cannot be kept as metadata; null when it can. */
export function whyNoMetadata(metadata: unknown): string | null {
  if (metadata === undefined) return null;
  const stored = toStored(metadata, "metadata");
  if (stored.kind === "unstorable") return `metadata cannot be kept: ${stored.why}`;
  const bytes = new TextEncoder().encode(stored.text).length;
  return bytes <= MAX_METADATA_BYTES ? null : `metadata has ${bytes} bytes, more than ${MAX_METADATA_BYTES}`;
}

/** The beginning of a value's JSON; for what no JSON holds, why. */
export function showBriefly(value: unknown): string {
  const stored = toStored(value, "it");
  return stored.kind === "json" ? stored.text.slice(0, 200) : stored.why.replace(/ at it$/, "");
}

/** One text per content: keys sorted, so that equal values give equal ids on every machine. */
export function canonicalJson(value: Json | undefined): string {
  if (value === undefined) return "";
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${fields.join(",")}}`;
}

/** One short walk of bounded depth: zod's own schema takes microseconds per value, and all the stack that there is. */
function jsonSchema(): z.ZodType<Json> {
  const error = `expected JSON of at most ${MAX_HELD_LEVELS} levels`;
  return z
    .unknown()
    .refine((value) => isJson(value, MAX_HELD_LEVELS), { error, abort: true })
    .overwrite((value) => (hasPrototypeKey(value) ? withoutPrototypeKeys(value) : value)) as z.ZodType<Json>;
}

function isJson(value: unknown, levels: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean";
  if (value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, levels - 1));
  return isPlain(value) && Object.values(value).every((field) => isJson(field, levels - 1));
}

/** Whoever copies such a key field by field gives the copy another prototype. */
function hasPrototypeKey(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasPrototypeKey);
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(hasPrototypeKey);
}

function withoutPrototypeKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutPrototypeKeys);
  const fields = Object.entries(value).filter(([key]) => key !== "__proto__");
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutPrototypeKeys(field)]));
}

/** An object of another realm or bundle has another Object.prototype; what makes it plain is that nothing is above. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

function findUnstorable(value: unknown, path: string, above: readonly object[]): string | null {
  switch (typeof value) {
    case "string":
    case "boolean":
      return null;
    case "number":
      return Number.isFinite(value) ? null : `${value} at ${cut(path)}`;
    case "bigint":
      return `a BigInt at ${cut(path)}`;
    case "object":
      return value === null ? null : findInObject(value, path, above);
    default:
      return `${typeof value === "undefined" ? "undefined" : `a ${typeof value}`} at ${cut(path)}`;
  }
}

function findInObject(value: object, path: string, above: readonly object[]): string | null {
  if (above.includes(value)) return `a cycle at ${cut(path)}`;
  if (above.length === MAX_LEVELS) return `nested deeper than ${MAX_LEVELS} levels at ${cut(path)}`;
  const inner = [...above, value];
  if ("toJSON" in value && typeof value.toJSON === "function") {
    const given: unknown = value.toJSON("");
    return given !== null && typeof given === "object"
      ? findInFields(given, path, inner)
      : findUnstorable(given, path, inner);
  }
  return findInFields(value, path, inner);
}

/** JSON asks an object for its `toJSON` only once, so what that gave is taken as it is. */
function findInFields(value: object, path: string, inner: readonly object[]): string | null {
  if (Array.isArray(value)) {
    return firstFound(value.keys(), (index) => findUnstorable(value[index], `${path}[${index}]`, inner));
  }
  if (!isPlain(value)) return `an instance of ${value.constructor?.name || "a class"} at ${cut(path)}`;
  return firstFound(Object.entries(value), ([key, field]) => {
    // Whoever copies it field by field, as zod and the SDKs do, would lose it or give the copy another prototype.
    if (key === "__proto__") return `a key "__proto__" at ${cut(path)}`;
    // JSON leaves out what is undefined, and users write optional fields that way.
    return field === undefined ? null : findUnstorable(field, `${path}.${key}`, inner);
  });
}

const cut = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path);

function firstFound<T>(items: Iterable<T>, find: (item: T) => string | null): string | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}

/** Counts how deep JSON is nested, and of how many parts it is, as its bytes come in, without parsing it. */
export class LevelCounter {
  deepest = 0;
  #parts = 0;
  readonly #isStream: boolean;
  #levels = 0;
  #isInString = false;
  #isEscaped = false;
  #isBlankLine = false;

  /** A stream of events is many texts: each ends with a blank line, and the comments between need not be JSON. */
  constructor(isStream = false) {
    this.#isStream = isStream;
  }

  add(bytes: Uint8Array): void {
    const isStream = this.#isStream;
    let levels = this.#levels;
    let isInString = this.#isInString;
    let isEscaped = this.#isEscaped;
    let isBlankLine = this.#isBlankLine;
    let { deepest } = this;
    let parts = this.#parts;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (isStream && byte !== CARRIAGE_RETURN) {
        const isEnd = byte === LINE_FEED;
        if (isEnd && isBlankLine) levels = 0;
        // No string of JSON goes over the end of a line.
        if (isEnd) isInString = false;
        isBlankLine = isEnd;
      }
      if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) {
        isInString = !isInString;
        if (isInString) parts++;
      } else if (isInString) isEscaped = byte === BACKSLASH;
      else if (byte === LIST || byte === OBJECT) {
        levels++;
        parts++;
        if (levels > deepest) deepest = levels;
      } else if (byte === LIST_END || byte === OBJECT_END) levels--;
    }
    this.#levels = levels;
    this.#isInString = isInString;
    this.#isEscaped = isEscaped;
    this.#isBlankLine = isBlankLine;
    this.deepest = deepest;
    this.#parts = parts;
  }

  /** Says how a message, a request or a reply goes beyond any that is meant; null for one that does not. */
  excess(): string | null {
    if (this.deepest > MAX_TEXT_LEVELS) return `is nested deeper than ${MAX_TEXT_LEVELS} levels`;
    const most = this.#isStream ? MAX_STREAM_PARTS : MAX_TEXT_PARTS;
    return this.#parts > most ? `has more than ${most} keys, texts, lists and objects` : null;
  }
}

/** The same of a text that is there as a whole. */
export function excessOf(json: Uint8Array): string | null {
  const counter = new LevelCounter();
  counter.add(json);
  return counter.excess();
}

/** Counts how deep a JSON text is nested. */
export function levelsOf(json: Uint8Array | string): number {
  const counter = new LevelCounter();
  counter.add(typeof json === "string" ? new TextEncoder().encode(json) : json);
  return counter.deepest;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
