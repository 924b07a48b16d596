import type { Json } from "../../domain/json.ts";
import type { Model } from "../../domain/model.ts";
import type { Redactor } from "../../domain/redact.ts";
import type { TranscriptStep } from "../../domain/run/log-entry.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { HttpCall } from "../../gateway/http/exchange.ts";
import type { ChatRequest, Message } from "../../providers/provider.ts";

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

type CallResult = Awaited<ReturnType<Gateway["call"]>>;
type ModelCallStep = Omit<Extract<TranscriptStep, { kind: "model_call" }>, "atMs">;

/** Describes one model call for the transcript, whether it was answered or not. */
export function modelCallStep(model: Model, request: ChatRequest, sent: CallResult): ModelCallStep {
  const { latencyMs, retries } = sent;
  const shown = { ...request, messages: request.messages.map(withoutImageData) };
  const called = { kind: "model_call" as const, ...model, request: shown as Json };
  if (sent.kind === "failed") {
    return {
      ...called,
      reply: null,
      error: sent.error.message,
      usage: sent.error.usage ?? null,
      latencyMs,
      retries,
    };
  }
  const { reply, firstTokenMs } = sent.answer;
  return {
    ...called,
    reply: reply as Json,
    error: null,
    usage: reply.usage,
    latencyMs,
    retries,
    ...(firstTokenMs === null ? {} : { firstTokenMs }),
  };
}

/** A transcript has the length of an image in place of its bytes. */
function withoutImageData(message: Message): Message {
  if ((message.role !== "user" && message.role !== "tool") || typeof message.content === "string")
    return message;
  const content = message.content.map((part) =>
    part.kind === "text" ? part : { ...part, base64: `[${part.base64.length} characters]` },
  );
  return { ...message, content };
}

/** The same for a call of an agent's own SDK, with the request as that wrote it. */
export function httpCallStep(call: HttpCall): ModelCallStep {
  const { model, request, reply, usage, latencyMs, retries, failed, firstTokenMs } = call;
  return {
    kind: "model_call",
    ...model,
    request,
    reply,
    usage,
    latencyMs,
    retries,
    error: failed?.error.message ?? null,
    ...(firstTokenMs === null ? {} : { firstTokenMs }),
  };
}
