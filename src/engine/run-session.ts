import { failure } from "../domain/failure.ts";
import type { Json } from "../domain/json.ts";
import type { Limits } from "../domain/limits.ts";
import type { Model } from "../domain/model.ts";
import type { Price } from "../domain/price.ts";
import { NO_USAGE } from "../domain/usage.ts";
import type { Host } from "../isolation/contract.ts";
import type { CallAnswer, ReportedStep, ReportedUsage } from "../isolation/messages.ts";
import { ChatRequest } from "../providers/contract.ts";
import type { Gateway, GatewayReply } from "../providers/gateway.ts";
import { ProviderError } from "../providers/provider-error.ts";
import type { Meter } from "./meter.ts";
import { TranscriptRecorder } from "./transcript-recorder.ts";

export interface SessionSpec {
  readonly model: Model;
  /** Counts over all attempts of the run: what a lost attempt used was used. */
  readonly meter: Meter;
  readonly limits: Limits;
  readonly gateway: Gateway;
  readonly priceOf: (model: Model) => Price | null;
  /** Aborted when the whole evaluation is to stop. */
  readonly cancelled: AbortSignal;
  readonly nowMs: () => number;
}

/** One attempt's dealings with the outside: its calls are metered, recorded and held to the run's limits here. */
export class RunSession implements Host {
  readonly meter: Meter;
  readonly transcript: TranscriptRecorder;
  /** A model call failed for good; only then may an agent blame one. */
  hasFailedCall = false;
  readonly #spec: SessionSpec;
  readonly #end = new AbortController();
  #promisedWaitMs = 0;
  #waiting = 0;
  #onWaiting: (isWaiting: boolean) => void = () => {};

  constructor(spec: SessionSpec) {
    this.#spec = spec;
    this.meter = spec.meter;
    this.transcript = new TranscriptRecorder(spec.nowMs);
    if (spec.cancelled.aborted) this.#cancel();
    else spec.cancelled.addEventListener("abort", this.#cancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  onWaiting(listener: (isWaiting: boolean) => void): void {
    this.#onWaiting = listener;
  }

  step(step: ReportedStep): void {
    this.transcript.add(step);
  }

  usage(usage: ReportedUsage, model: Model = this.#spec.model): void {
    this.#count({ ...NO_USAGE, ...definedOnly(usage) }, model);
  }

  async call(providerKey: string, request: Json, signal: AbortSignal): Promise<CallAnswer> {
    const parsed = ChatRequest.safeParse(request);
    if (!parsed.success)
      return refuse(`the model call is not well formed: ${parsed.error.issues[0]?.message}`);
    const tooMany = this.meter.refusesTurn(this.#spec.limits);
    if (tooMany !== null) {
      this.#endFor(tooMany);
      return refuse(tooMany);
    }
    this.meter.turns++;
    return this.#callGateway(providerKey, parsed.data, AbortSignal.any([signal, this.signal]));
  }

  /** The session ends with its attempt. */
  close(): void {
    this.#spec.cancelled.removeEventListener("abort", this.#cancel);
  }

  async #callGateway(providerKey: string, request: ChatRequest, signal: AbortSignal): Promise<CallAnswer> {
    const startedAtMs = this.#spec.nowMs();
    try {
      const answer = await this.#spec.gateway.call({
        providerKey,
        request,
        signal,
        mayWait: (waitMs) => this.#mayWait(waitMs),
        onWaiting: (isWaiting) => this.#wait(isWaiting),
      });
      this.#record(providerKey, request, answer, null);
      if (answer.reply.usage !== null) this.#count(answer.reply.usage, { providerKey, model: request.model });
      return { kind: "reply", reply: answer.reply as Json };
    } catch (error) {
      const { code, message } = toProviderError(error);
      this.hasFailedCall = true;
      // A call that failed for good reported no tokens: that is known, unlike a call that never came by here.
      this.#count(NO_USAGE, { providerKey, model: request.model });
      const latencyMs = Math.round(this.#spec.nowMs() - startedAtMs);
      this.#record(providerKey, request, { reply: null, retries: 0, latencyMs }, message);
      return { kind: "failed", code, message };
    }
  }

  #record(
    providerKey: string,
    request: ChatRequest,
    answer: Omit<GatewayReply, "reply"> & { reply: GatewayReply["reply"] | null },
    error: string | null,
  ): void {
    this.transcript.add({
      kind: "model_call",
      providerKey,
      model: request.model,
      request: request as Json,
      reply: answer.reply as Json,
      error,
      usage: answer.reply?.usage ?? null,
      latencyMs: answer.latencyMs,
      retries: answer.retries,
    });
  }

  #count(usage: typeof NO_USAGE, model: Model): void {
    this.meter.add(usage, this.#spec.priceOf(model));
    const passed = this.meter.passedLimit(this.#spec.limits);
    if (passed !== null) this.#endFor(passed);
  }

  #mayWait(waitMs: number): boolean {
    this.#promisedWaitMs += waitMs;
    return this.#promisedWaitMs <= this.#spec.limits.maxWaitSeconds * 1_000;
  }

  #wait(isWaiting: boolean): void {
    this.#waiting += isWaiting ? 1 : -1;
    this.#onWaiting(this.#waiting > 0);
  }

  #endFor(limit: string): void {
    this.#end.abort(failure("limit", limit));
  }

  readonly #cancel = (): void => this.#end.abort(failure("cancelled", "the evaluation was cancelled"));
}

const refuse = (message: string): CallAnswer => ({ kind: "failed", code: "agent_error", message });

const toProviderError = (error: unknown): ProviderError =>
  error instanceof ProviderError
    ? error
    : new ProviderError("provider_error", error instanceof Error ? error.message : String(error), {
        retryable: false,
        cause: error,
      });

const definedOnly = (usage: ReportedUsage): Partial<typeof NO_USAGE> =>
  Object.fromEntries(Object.entries(usage).filter(([, tokens]) => tokens !== undefined));
