import type { Json } from "./json.ts";
import { isSecretHeader, REDACTED, SHAPES } from "./redact-shapes.ts";
import { applyRule, RuleStream, type TextRule } from "./redact-stream.ts";

export interface Secret {
  /** The variable that holds it, which people may read. */
  readonly name: string;
  readonly value: string;
}

/** A shorter value may be any word. */
const MIN_SECRET_LENGTH = 8;

/** Takes secrets out of whatever is about to be kept or shown. */
export class Redactor {
  readonly #known: TextRule;

  constructor(secrets: readonly Secret[]) {
    this.#known = knownRule(secrets.filter(({ value }) => value.length >= MIN_SECRET_LENGTH));
  }

  /** Known values alone, for what must otherwise stay as it is. */
  values(text: string): string {
    return applyRule(text, this.#known);
  }

  /** Known values, and all that looks like a key. */
  text(text: string): string {
    return applyRule(this.values(text), SHAPES);
  }

  valuesIn<Value extends Json>(value: Value): Value {
    return mapTexts(value, (text) => this.values(text)) as Value;
  }

  textIn<Value extends Json>(value: Value): Value {
    const redact = (text: string, name?: string) =>
      name !== undefined && isSecretHeader(name) ? REDACTED : this.text(text);
    return mapTexts(value, redact) as Value;
  }

  /** The same as `text`, for a text that comes in pieces. */
  stream(): { push(piece: string): string; rest(): string } {
    const known = new RuleStream(this.#known);
    const shapes = new RuleStream(SHAPES);
    return {
      push: (piece) => shapes.push(known.push(piece)),
      rest: () => shapes.rest(known.rest()),
    };
  }
}

/** Known values in every form that text gives them, and what is left of one that somebody cut. */
function knownRule(secrets: readonly Secret[]): TextRule {
  const names = new Map<string, string>();
  for (const { name, value } of secrets)
    for (const form of formsOf(value)) if (!names.has(form)) names.set(form, name);
  const forms = [...names.keys()].sort((a, b) => b.length - a.length);
  const pattern = [...forms.map((form) => RegExp.escape(form)), ...forms.map(beginningOf)].join("|");
  return {
    pattern: new RegExp(pattern || NOTHING, "g"),
    longest: forms[0]?.length ?? 1,
    replace: ([match]) => {
      const form = names.has(match) ? match : forms.find((known) => match.startsWith(halfOf(known)));
      return `[redacted ${names.get(form ?? "")}]`;
    },
  };
}

const NOTHING = "(?!)";

/** As it is, inside of JSON, inside of a URL, and as the bytes of UTF-8, which is how output is read. */
const formsOf = (value: string): string[] => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value.toWellFormed()),
  String.fromCharCode(...new TextEncoder().encode(value)),
];

const halfOf = (form: string): string =>
  form.slice(0, Math.max(MIN_SECRET_LENGTH, Math.ceil(form.length / 2)));

/** Half of a key and more of it: an agent that shortens a text may do so in the middle of one. */
const beginningOf = (form: string): string => {
  const half = halfOf(form);
  return `${RegExp.escape(half)}[\\w.~+/=-]{0,${form.length - half.length}}`;
};

function mapTexts(value: Json, redact: (text: string, name?: string) => string, name?: string): Json {
  if (typeof value === "string") return redact(value, name);
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) return value.map((item) => mapTexts(item, redact, name));
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [redact(key), mapTexts(field, redact, key)]),
  );
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
