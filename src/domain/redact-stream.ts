/** What to look for in a text, and what stands there afterwards. */
export interface TextRule {
  /** Global, never empty, and looking back one character at most. */
  readonly pattern: RegExp;
  /** No match, with what it looks ahead for, is longer. */
  readonly longest: number;
  readonly replace: (match: RegExpExecArray) => string;
}

export const applyRule = (text: string, rule: TextRule): string =>
  replaceBetween(text, rule, 0, text.length).text;

/** Applies a rule to a text that comes in pieces, as if it came whole: what may be half a match is held back. */
export class RuleStream {
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
