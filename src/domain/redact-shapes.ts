import type { TextRule } from "./redact-stream.ts";

export const REDACTED = "[redacted]";

/** A token begins where no token was before, so every one of them is looked at once. */
const START = "(?<![A-Za-z0-9_-])";

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
  "eyJ[A-Za-z0-9_-]{10,2000}\\.[A-Za-z0-9_-]{10,2000}\\.[A-Za-z0-9_-]{10,2000}",
];

const KEY = new RegExp(`${START}(?:${KEYS.join("|")})`, "i");

/** Whether a text anywhere in a value looks like a key; words such as `bearer` before it make nothing one. */
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
  ["bearer\\s{1,4}", `${TOKEN}{16,4000}`],
  [
    "(?:https?|wss?|postgres(?:ql)?|mysql|mongodb(?:\\+srv)?|rediss?|amqps?)://[^\\s/:@\"'<>]{0,100}:",
    "[^\\s/@\"'<>]{1,256}(?=@)",
  ],
];

/** More than the longest match, and a little of what follows it. */
const LONGEST = 8_192;

const PATTERN = new RegExp(
  `${START}(?:${KEYS.join("|")}|${AFTER_WORDS.map(([stays, goes]) => `(${stays})${goes}`).join("|")})`,
  "gi",
);

/** Finds what looks like a key or stands where one does. */
export const SHAPES: TextRule = {
  pattern: PATTERN,
  longest: LONGEST,
  replace: ([, ...words]) => `${words.find((word) => word !== undefined) ?? ""}${REDACTED}`,
};

const HEADER = new RegExp(`^(?:${HEADER_NAMES.join("|")}|(?:set-)?cookie)$`, "i");

/** Whether a field of this name holds a key, whatever it looks like. */
export const isSecretHeader = (name: string): boolean => HEADER.test(name);
