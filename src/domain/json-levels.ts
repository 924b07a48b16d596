const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/** Counts how deep JSON is nested as its bytes come in, without parsing it. */
export class LevelCounter {
  deepest = 0;
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
      else if (byte === QUOTE) isInString = !isInString;
      else if (isInString) isEscaped = byte === BACKSLASH;
      else if (byte === LIST || byte === OBJECT) {
        levels++;
        if (levels > deepest) deepest = levels;
      } else if (byte === LIST_END || byte === OBJECT_END) levels--;
    }
    this.#levels = levels;
    this.#isInString = isInString;
    this.#isEscaped = isEscaped;
    this.#isBlankLine = isBlankLine;
    this.deepest = deepest;
  }
}

export function levelsOf(json: Uint8Array | string): number {
  const counter = new LevelCounter();
  counter.add(typeof json === "string" ? new TextEncoder().encode(json) : json);
  return counter.deepest;
}
