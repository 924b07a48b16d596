import type { Json } from "./json.ts";

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
  const choices = [RegExp.escape, beginningOf, (form: string) => RegExp.escape(endOf(form))];
  const any = choices.flatMap((choice) => forms.map(choice)).join("|") || NOTHING;
  const starts = new Set(
    forms.flatMap((form) => [halfOf(form), endOf(form)]).map((text) => text.slice(0, 4)),
  );
  return {
    // A choice of a few short texts is looked for faster than one of many long ones.
    pattern: new RegExp(`(?=${[...starts].map(RegExp.escape).join("|")})(?:${any})`, "g"),
    longest: forms[0]?.length ?? 1,
    replace: ([match]) => {
      const form = names.has(match)
        ? match
        : forms.find((known) => match.startsWith(halfOf(known)) || match === endOf(known));
      return `[redacted ${names.get(form ?? "")}]`;
    },
  };
}

const NOTHING = "(?!)";

/** As it is, as the bytes of UTF-8, which is how output is read, and as it stands in JSON, URLs, hex and base64. */
function formsOf(value: string): string[] {
  const bytes = String.fromCharCode(...new TextEncoder().encode(value));
  const json = [
    inJson(value),
    inJson(value).replaceAll(/[^ -~]/g, spellUnit),
    value.replaceAll(/./gs, spellUnit),
  ];
  const hex = Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  return [
    ...[value, bytes, encodeURIComponent(value.toWellFormed())],
    ...[
      ...json,
      ...json.map((text) => text.replaceAll(/(?<=\\u)..../g, (digits) => digits.toUpperCase())),
    ].flatMap((text) => [text, inJson(text)]),
    ...[hex, hex.toUpperCase()],
    ...[0, 1, 2].flatMap((before) => inBase64(bytes, before)),
  ];
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const spellUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** What of base64 these bytes alone decide, where so many others stand before them; the second form is for URLs. */
function inBase64(bytes: string, before: number): string[] {
  const text = btoa("\0".repeat(before) + bytes);
  const own = text.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3));
  return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
}

const halfOf = (form: string): string =>
  form.slice(0, Math.max(MIN_SECRET_LENGTH, Math.ceil(form.length / 2)));

/** What an agent prints in two halves ends with this one. */
const endOf = (form: string): string => form.slice(-halfOf(form).length);

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

export const REDACTED = "[redacted]";
/** Stands for a key where a definition may not see it; code that only asks whether it is set goes on. */
export const HIDDEN_KEY = "hidden-from-definitions";

/** A token begins where no token was before, so every one of them is looked at once. */
const START = "(?<![A-Za-z0-9_-])";

const PEM = (edge: string): string => `-----${edge} [A-Z0-9 ]{0,40}PRIVATE KEY-----`;

/** What keys look like, whoever gave them out; each is shorter than `LONGEST`. */
const KEYS: readonly string[] = [
  // OpenAI, Anthropic, OpenRouter and others; a name such as sk-learn-something has no digit.
  "sk-(?=[A-Za-z_-]{0,400}[0-9])[A-Za-z0-9_-]{16,400}",
  "[sr]k_(?:live|test)_[A-Za-z0-9]{16,400}",
  "AIza[A-Za-z0-9_-]{30,100}",
  "hf_[A-Za-z0-9]{20,200}",
  "(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])",
  "gh[pousr]_[A-Za-z0-9]{20,400}",
  "github_pat_[A-Za-z0-9_]{20,400}",
  "glpat-[A-Za-z0-9_-]{20,400}",
  "xox[abeprs]-[A-Za-z0-9-]{10,400}",
  "(?:gsk|r8|npm)_[A-Za-z0-9]{20,400}",
  "xai-[A-Za-z0-9]{20,400}",
  "ya29\\.[A-Za-z0-9_-]{20,2000}",
  "GOCSPX-[A-Za-z0-9_-]{20,100}",
  "1//0[A-Za-z0-9_-]{30,400}",
  `${PEM("BEGIN")}(?:(?:[^-]|-(?!----END)){0,7500}${PEM("END")}|(?:[A-Za-z0-9+/=\\r\\n]|\\\\[rn]){0,7500})`,
  "eyJ[A-Za-z0-9_-]{10,2000}\\.[A-Za-z0-9_-]{10,2000}\\.[A-Za-z0-9_-]{10,2000}",
];

const KEY = new RegExp(`${START}(?:${KEYS.join("|")})`, "i");

/** Says whether a text anywhere in a value looks like a key; words such as `bearer` before it make nothing one. */
export function holdsKey(value: unknown): boolean {
  if (typeof value === "string") return KEY.test(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, field]) => KEY.test(name) || holdsKey(field));
}

const HEADER_NAMES = ["(?:proxy-)?authorization", "(?:x-|x-goog-)?api-key", "x-amz-security-token"];
const TOKEN = "[A-Za-z0-9._~+/=-]";

/** A word that stays, and after it what goes. */
const AFTER_WORDS: readonly (readonly [stays: string, goes: string])[] = [
  [
    `(?:${HEADER_NAMES.join("|")})\\\\?["']?\\s{0,4}[:=]\\s{0,4}\\\\?["']?(?:(?:bearer|basic|token)\\s{1,4})?`,
    `(?!(?:bearer|basic|token)\\s)${TOKEN}{1,4000}`,
  ],
  ["hooks\\.slack\\.com/(?:services|workflows|triggers)/", "[A-Za-z0-9/_-]{20,200}"],
  ["bearer\\s{1,4}", `${TOKEN}{16,4000}`],
  [
    "(?:https?|wss?|postgres(?:ql)?|mysql|mongodb(?:\\+srv)?|rediss?|amqps?)://[^\\s/:@\"'<>]{0,100}:",
    "[^\\s/@\"'<>]{1,256}(?=@)",
  ],
];

/** The same for words that are mostly the end of a longer one, as in `DB_PASSWORD=`. */
const AFTER_ENDS: readonly (readonly [stays: string, goes: string])[] = [
  [
    "secret_?(?:access_?)?key\\\\?[\"']?\\s{0,4}[:=]\\s{0,4}\\\\?[\"']?",
    "[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])",
  ],
  ["pass(?:word|wd|phrase)=[\"']?", "(?![$<{*%])[^\\s\"'&;,)\\]}]{4,256}"],
];

const choiceOf = (words: typeof AFTER_WORDS): string =>
  words.map(([stays, goes]) => `(${stays})${goes}`).join("|");

/** More than the longest match, and a little of what follows it. */
const LONGEST = 8_192;

const PATTERN = new RegExp(
  `${START}(?:${KEYS.join("|")}|${choiceOf(AFTER_WORDS)})|${choiceOf(AFTER_ENDS)}`,
  "gi",
);

/** Finds what looks like a key or stands where one does. */
const SHAPES: TextRule = {
  pattern: PATTERN,
  longest: LONGEST,
  replace: ([, ...words]) => `${words.find((word) => word !== undefined) ?? ""}${REDACTED}`,
};

const HEADER = new RegExp(`^(?:${HEADER_NAMES.join("|")}|(?:set-)?cookie)$`, "i");

/** Whether a field of this name holds a key, whatever it looks like. */
const isSecretHeader = (name: string): boolean => HEADER.test(name);

/** What to look for in a text, and what stands there afterwards. */
interface TextRule {
  /** Global, never empty, and looking back one character at most. */
  readonly pattern: RegExp;
  /** No match, with what it looks ahead for, is longer. */
  readonly longest: number;
  readonly replace: (match: RegExpExecArray) => string;
}

const applyRule = (text: string, rule: TextRule): string => replaceBetween(text, rule, 0, text.length).text;

/** Applies a rule to a text that comes in pieces, as if it came whole: what may be half a match is held back. */
class RuleStream {
  readonly #rule: TextRule;
  /** What is held back, after one character that is out already, for a rule that looks back. */
  #held = "";
  #out = 0;

  constructor(rule: TextRule) {
    this.#rule = rule;
  }

  push(piece: string): string {
    this.#held += piece;
    const { longest } = this.#rule;
    // Twice as much as must be held, so that many small pieces do not mean as many searches.
    if (this.#held.length < 2 * longest) return "";
    const { text, end } = replaceBetween(this.#held, this.#rule, this.#out, this.#held.length - longest);
    this.#held = this.#held.slice(end - 1);
    this.#out = 1;
    return text;
  }

  /** What is held back, as if only this came after it; anything else may still be pushed. */
  rest(last = ""): string {
    const text = this.#held + last;
    return replaceBetween(text, this.#rule, this.#out, text.length).text;
  }
}

/** Replaces every match that begins between two places, and says where it came to. */
function replaceBetween(
  text: string,
  { pattern, replace }: TextRule,
  from: number,
  upTo: number,
): { text: string; end: number } {
  let given = "";
  let end = from;
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match !== null && match.index < upTo; match = pattern.exec(text)) {
    given += text.slice(end, match.index) + replace(match);
    end = match.index + match[0].length;
  }
  const stop = Math.max(end, upTo);
  return { text: given + text.slice(end, stop), end: stop };
}
