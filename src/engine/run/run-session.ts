import type { Clock } from "../../domain/clock.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import type { Json } from "../../domain/json.ts";
import type { Limits } from "../../domain/limits.ts";
import { calledModel, type Model, modelKey } from "../../domain/model.ts";
import type { Run } from "../../domain/plan.ts";
import { type Failure, failure } from "../../domain/run/failure.ts";
import { type CallUsage, NO_USAGE, type PriceList } from "../../domain/run/usage.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { GatewayRun, HttpCall } from "../../gateway/http/exchange.ts";
import type { HttpGateway } from "../../gateway/http/server.ts";
import type {
  CallAnswer,
  Isolation,
  ReportedStep,
  ReportedUsage,
  TaskHost,
} from "../../isolation/isolation.ts";
import { type OptionsByModel, withModelOptions } from "../../providers/model-options.ts";
import {
  ChatRequest,
  type ProviderError,
  type ProviderTrouble,
  type UsageReport,
} from "../../providers/provider.ts";
import type { Meter } from "./meter.ts";
import { type Redaction, stopFailure } from "./redaction.ts";
import { httpCallStep, modelCallStep, TranscriptRecorder } from "./transcript-recorder.ts";

/** Services that the runs of a definition need from outside. */
export interface RunDeps {
  readonly isolation: Isolation;
  readonly gateway: Gateway;
  /** Where agents that bring their own SDK call in; the definition's `gateway: true`. */
  readonly tokens?: HttpGateway | undefined;
  readonly redaction: Redaction;
  readonly prices: PriceList;
  readonly modelOptions: OptionsByModel;
  /** The definition brings its own providers, which fail in the run's process. */
  readonly hasOwnProviders: boolean;
}

/** Settings that all runs of a round have in common. */
export interface RunSpec extends RunDeps {
  readonly evaluationId: EvaluationId;
  readonly round: number;
  readonly limits: Limits;
  readonly clock: Clock;
  /** Ends the run, as cancelled or as the failure that it was aborted with. */
  readonly cancelled: AbortSignal;
}

/** One attempt's dealings with the outside: its calls are metered, recorded and held to the run's limits here. */
export class RunSession implements TaskHost {
  readonly meter: Meter;
  readonly transcript: TranscriptRecorder;
  /** A model call failed for good; only then may an agent blame one. */
  hasFailedCall = false;
  /** A model has answered; only then may an answer be what the agent could not read. */
  hasReply = false;
  /** Why the last call of the run's provider failed, where every other one will fail too. */
  trouble: ProviderTrouble | null = null;
  /** Why the last call over HTTP failed, if a provider failed it; the agent's SDK reports it in words of its own. */
  lastHttpFailure: Failure | null = null;
  readonly #model: Model;
  /** Whose account calls over HTTP are for, where their SDK leaves that open. */
  readonly #sdkProvider: string;
  readonly #spec: RunSpec;
  readonly #end = new AbortController();
  readonly #waits: WaitBudget;
  readonly #late: Promise<void>[] = [];
  readonly #warned = new Set<string>();
  #onWaiting: (isWaiting: boolean) => void = () => {};

  /** The meter counts over all attempts of the run: what a lost attempt used was used. */
  constructor({ model }: Pick<Run, "model">, spec: RunSpec, meter: Meter, sdkProvider = model.providerKey) {
    const nowMs = () => spec.clock.monotonicMs();
    this.#model = calledModel(model);
    this.#sdkProvider = sdkProvider;
    this.#spec = spec;
    this.meter = meter;
    this.transcript = new TranscriptRecorder(nowMs, spec.redaction.kept);
    this.#waits = new WaitBudget(spec.limits.maxWaitSeconds * 1_000, nowMs);
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

  usage(usage: ReportedUsage, model?: Model): void {
    const used = { ...NO_USAGE, ...definedOnly(usage) };
    const who = model === undefined ? "reportUsage" : modelKey(model);
    this.#count(used, model ?? this.#model, who);
  }

  async call(providerKey: string, request: Json, signal: AbortSignal): Promise<CallAnswer> {
    const parsed = ChatRequest.safeParse(request);
    if (!parsed.success)
      return refuse(`the model call is not well formed: ${parsed.error.issues[0]?.message}`);
    const tooMany = this.#admitCall();
    if (tooMany !== null) return refuse(tooMany);
    return this.#callGateway(providerKey, parsed.data, AbortSignal.any([signal, this.signal]));
  }

  serveToken(token: string): void {
    this.#spec.tokens?.serve(token, this.#asGatewayRun());
  }

  async releaseToken(token: string): Promise<void> {
    await this.#spec.tokens?.release(token);
  }

  /** The session ends with its attempt, when all that was used is counted. */
  async close(): Promise<void> {
    await Promise.all(this.#late);
    this.#spec.cancelled.removeEventListener("abort", this.#cancel);
  }

  async #callGateway(providerKey: string, asked: ChatRequest, signal: AbortSignal): Promise<CallAnswer> {
    const model = { providerKey, model: asked.model };
    const { request, extras } = withModelOptions(this.#spec.modelOptions, model, asked);
    await this.#spec.prices.open(model);
    const sent = await this.#spec.gateway.call({
      providerKey,
      request,
      extras,
      ...this.#patience(signal),
    });
    this.transcript.add(modelCallStep(model, request, sent));
    const { told } = this.#spec.redaction;
    if (sent.kind === "failed") {
      this.hasFailedCall ||= !this.#isOwnMistake(model, sent.error);
      if (providerKey === this.#model.providerKey) this.trouble = sent.error.trouble;
      this.#countOf(sent.error, model);
      return { kind: "failed", code: sent.error.code, message: told.text(sent.error.message) };
    }
    const { reply } = sent.answer;
    this.hasReply = true;
    this.#countReport(reply, model);
    return { kind: "reply", reply: told.valuesIn(reply as Json) };
  }

  /** What every call of a run would say again is said once. */
  #warn(warnings: readonly string[] = []): void {
    for (const text of warnings) {
      if (!this.#warned.has(text)) this.transcript.add({ kind: "note", text });
      this.#warned.add(text);
    }
  }

  #asGatewayRun(): GatewayRun {
    return {
      providerKey: this.#sdkProvider,
      patience: this.#patience(this.signal),
      hide: (text) => this.#spec.redaction.told.values(text),
      admitCall: () => this.#admitCall(),
      takeCall: (call) => this.#takeCall(call),
    };
  }

  async #takeCall(call: HttpCall): Promise<void> {
    const { model, usage, reply, failed } = call;
    await this.#spec.prices.open(model);
    this.transcript.add(httpCallStep(call));
    const isProviders = failed?.fault === "provider" && !this.#isOwnMistake(model, failed.error);
    this.lastHttpFailure = isProviders ? this.#failureOf(failed.error) : null;
    if (isProviders) this.hasFailedCall = true;
    if (isProviders && model.providerKey === this.#model.providerKey) this.trouble = failed.error.trouble;
    if (reply !== null) this.hasReply = true;
    if (usage === null && failed !== null && reply === null) this.#countOf(failed.error, model);
    else this.#countReport(call, model);
  }

  /** A call that failed for good used nothing, unless its reply came and nobody could read it. */
  #countOf({ usage = NO_USAGE }: ProviderError, model: Model): void {
    this.#countReport({ usage }, model);
  }

  /** Counts what a reply reports; other models that were used within the call have their own price. */
  #countReport({ usage, otherUsage = [], warnings }: UsageReport, own: Model): void {
    this.#warn(warnings);
    for (const { model, usage: used } of [{ model: own.model, usage }, ...otherUsage]) {
      if (used === null) this.meter.addUnknown();
      else this.#count(used, { ...own, model });
    }
  }

  /** A provider refuses a call of another model than the run's own: whoever chose that model made the mistake. */
  #isOwnMistake(model: Model, { code, retryable }: ProviderError): boolean {
    return code === "provider_error" && !retryable && modelKey(model) !== modelKey(this.#model);
  }

  #failureOf({ code, message }: ProviderError): Failure {
    return failure(code, this.#spec.redaction.kept.text(message));
  }

  /** Counts one more model call, or ends the run for having had enough. */
  #admitCall(): string | null {
    const tooMany = this.meter.refusesTurn(this.#spec.limits);
    if (tooMany === null) this.meter.turns++;
    else this.#endFor(tooMany);
    return tooMany;
  }

  #patience(signal: AbortSignal): GatewayRun["patience"] {
    return {
      signal,
      waitLeftMs: () => this.#waits.leftMs(),
      onWaiting: (isWaiting) => this.#onWaiting(this.#waits.set(isWaiting)),
    };
  }

  /** Tokens count at once, so that no answer comes before them; their price may take a moment. */
  #count(usage: CallUsage, model: Model, who: string = modelKey(model)): void {
    const tooMuch = this.meter.addUsage(usage, who);
    if (tooMuch !== null) return this.#endFor(tooMuch);
    const opening = this.#spec.prices.open(model);
    if (opening === null) this.#countCost(usage, model);
    else this.#late.push(opening.then(() => this.#countCost(usage, model)));
  }

  #countCost(usage: CallUsage, model: Model): void {
    const tooMuch = this.meter.addCost(this.#spec.prices.costNanoUsd(model, usage));
    const passed = tooMuch ?? this.meter.passedLimit(this.#spec.limits);
    if (passed !== null) this.#endFor(passed);
  }

  #endFor(limit: string): void {
    this.#end.abort(failure("limit", limit));
  }

  readonly #cancel = (): void => this.#end.abort(stopFailure(this.#spec.cancelled));
}

const refuse = (message: string): CallAnswer => ({ kind: "failed", code: "agent_error", message });

const definedOnly = (usage: ReportedUsage): Partial<CallUsage> =>
  Object.fromEntries(Object.entries(usage).filter(([, tokens]) => tokens !== undefined));

/** How long one run may wait for rate limits; calls that wait at the same time wait only once. */
class WaitBudget {
  readonly #budgetMs: number;
  readonly #nowMs: () => number;
  #waiting = 0;
  #sinceMs = 0;
  #waitedMs = 0;

  constructor(budgetMs: number, nowMs: () => number) {
    this.#budgetMs = budgetMs;
    this.#nowMs = nowMs;
  }

  /** One call begins or ends to wait; answers whether any waits now. */
  set(isWaiting: boolean): boolean {
    if (this.#waiting > 0) this.#waitedMs += this.#nowMs() - this.#sinceMs;
    this.#sinceMs = this.#nowMs();
    this.#waiting += isWaiting ? 1 : -1;
    return this.#waiting > 0;
  }

  leftMs(): number {
    const nowWaiting = this.#waiting > 0 ? this.#nowMs() - this.#sinceMs : 0;
    return Math.max(0, this.#budgetMs - this.#waitedMs - nowWaiting);
  }
}
