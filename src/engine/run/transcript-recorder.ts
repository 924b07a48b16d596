import type { Json } from "../../domain/json.ts";
import type { Redactor } from "../../domain/redact.ts";
import type { TranscriptStep } from "../../domain/run/log-entry.ts";

/** What a transcript may hold; what comes after is counted, not kept. */
const MAX_BYTES = 4 * 1024 * 1024;

type Unstamped<Step> = Step extends unknown ? Omit<Step, "atMs"> : never;

/** Keeps the steps of one attempt in the order in which they happened, without secrets. */
export class TranscriptRecorder {
  readonly #nowMs: () => number;
  readonly #redactor: Redactor;
  readonly #startedAtMs: number;
  readonly #steps: TranscriptStep[] = [];
  #bytes = 0;
  #dropped = 0;

  constructor(nowMs: () => number, redactor: Redactor) {
    this.#nowMs = nowMs;
    this.#redactor = redactor;
    this.#startedAtMs = nowMs();
  }

  add(step: Unstamped<TranscriptStep>): void {
    if (this.#bytes <= MAX_BYTES) this.#keep(step);
    if (this.#bytes > MAX_BYTES) this.#dropped++;
  }

  steps(): readonly TranscriptStep[] {
    if (this.#dropped === 0) return this.#steps;
    const text = `${this.#dropped} further steps were dropped: a transcript holds ${MAX_BYTES / 1024} KB`;
    return [...this.#steps, { kind: "note", atMs: this.#atMs(), text }];
  }

  #keep(step: Unstamped<TranscriptStep>): void {
    const redacted = this.#redactor.textIn(step as Json) as typeof step;
    this.#bytes += JSON.stringify(redacted).length;
    if (this.#bytes <= MAX_BYTES) this.#steps.push({ ...redacted, atMs: this.#atMs() } as TranscriptStep);
  }

  #atMs(): number {
    return Math.max(0, Math.round(this.#nowMs() - this.#startedAtMs));
  }
}
