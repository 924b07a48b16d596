import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod";
import type { Clock } from "../../domain/clock.ts";
import { type Json, parseJson } from "../../domain/json.ts";
import type { Model } from "../../domain/model.ts";
import { lostAnswer } from "../../providers/failed-call.ts";
import { ProviderError, type UsageReport } from "../../providers/provider.ts";
import type { Variables } from "../../providers/table.ts";
import type { Patience } from "../fleet-turns.ts";
import type { Gateway, SendResult } from "../gateway.ts";
import type { Admitted } from "./connections.ts";
import { isUsageAlone, PROTOCOLS, readEvents, readReply, type SentEvent, withUsage } from "./protocols.ts";
import { type ModelRequest, type Protocol, readCall, sendError } from "./request.ts";
import {
  answerHeaders,
  failureIn,
  type Refusal,
  readRefusal,
  readUpstream,
  type Upstream,
  upstreamHeaders,
  upstreamKey,
  upstreamUrl,
} from "./upstream.ts";

/** The run that HTTP calls belong to: it holds them to its limits, meters and records them. */
export interface GatewayRun {
  readonly providerKey: string;
  readonly patience: Patience;
  /** Takes out of a text what the run's agent may not see. */
  hide(text: string): string;
  /** Counts one more model call, or says why there may be none. */
  admitCall(): string | null;
  /** Called before the agent gets the end of the reply, so that no run ends with a call that was not counted. */
  takeCall(call: HttpCall): Promise<void>;
}

/** One model call of an agent's own SDK, as it ended. */
export interface HttpCall extends UsageReport {
  readonly model: Model;
  /** The body as the agent sent it. */
  readonly request: Json;
  /** As a ChatReply where it could be read, else as it came. */
  readonly reply: Json | null;
  readonly firstTokenMs: number | null;
  readonly latencyMs: number;
  readonly retries: number;
  /** The fault is the agent's where it dropped the call, or asked for what no model takes. */
  readonly failed: { readonly error: ProviderError; readonly fault: "provider" | "agent" } | null;
}

/** One request of an agent's SDK, as it came in. */
interface IncomingCall {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly url: URL;
  readonly run: GatewayRun;
  /** Aborted when the run has ended. */
  readonly ended: AbortSignal;
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly send: typeof fetch;
  readonly variables: Variables | undefined;
  readonly admitted: Admitted;
}

/** One call of an agent's SDK: held to the run's limits, sent on, reported to the run, and only then answered to its end. */
export async function answerCall(call: IncomingCall): Promise<void> {
  const { incoming, outgoing, url, run } = call;
  const signal = AbortSignal.any([run.patience.signal, call.ended, droppedSignal(outgoing)]);
  const request = await readCall(incoming, url, signal, call.admitted);
  if (request.kind === "refused") return sendError(outgoing, request.status, request.message);
  const refused = request.route.protocol === null ? null : run.admitCall();
  // No SDK tries again what is forbidden.
  if (refused !== null) return sendError(outgoing, 403, refused);
  const providerKey = upstreamKey(request.route.family, run.providerKey);
  const exchange = new Exchange(call, request, providerKey, signal);
  const patience = { ...run.patience, signal };
  const sent = await call.gateway.send(providerKey, patience, () => exchange.attempt());
  await exchange.report(sent);
  await exchange.deliver(sent);
}

/** Aborted when the agent hangs up; that it also is after the last byte does no harm. */
function droppedSignal(outgoing: ServerResponse): AbortSignal {
  const dropped = new AbortController();
  outgoing.once("close", () => dropped.abort(new Error("the agent dropped the call")));
  return dropped.signal;
}

const NamedModel = z.object({ model: z.string() });

/** One call on its way to the real server and back. */
class Exchange {
  readonly #call: IncomingCall;
  readonly #request: ModelRequest;
  readonly #providerKey: string;
  readonly #signal: AbortSignal;
  /** The last answer that was an error. */
  #refusal: Refusal | null = null;
  /** A whole body, or the pieces of a stream as far as they came. */
  #body: unknown = null;
  #firstTokenMs: number | null = null;
  /** Sends the agent the server's own last words: the end of the reply, or why it broke off. */
  #finish: (() => unknown) | null = null;

  constructor(call: IncomingCall, request: ModelRequest, providerKey: string, signal: AbortSignal) {
    this.#call = call;
    this.#request = request;
    this.#providerKey = providerKey;
    this.#signal = signal;
  }

  /** Sends the call and takes the reply up to its end, which waits for `deliver`; only pieces before the end go on at once. */
  async attempt(): Promise<void> {
    const { family, protocol } = this.#request.route;
    const upstream = readUpstream(family, this.#providerKey, this.#call.variables);
    this.#forget();
    const startedAtMs = this.#call.clock.monotonicMs();
    try {
      const answer = await this.#send(upstream);
      if (!answer.ok) {
        this.#refusal = await readRefusal(upstream, answer, this.#hide);
        throw this.#refusal.error;
      }
      const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
      if (isStream && protocol !== null) await this.#relay(upstream, answer, protocol, startedAtMs);
      else await this.#takeWhole(answer);
    } catch (error) {
      this.#signal.throwIfAborted();
      throw error instanceof ProviderError ? error : this.#lost(upstream, error);
    }
  }

  async report(sent: SendResult<void>): Promise<void> {
    const { route, request } = this.#request;
    if (route.protocol === null || request === null) return;
    const read = await readReply(route.protocol, this.#body);
    const model = route.model ?? NamedModel.safeParse(request).data?.model ?? "unknown";
    const { latencyMs, retries } = sent;
    // Whoever ended the call, a provider did not fail it.
    const fault = this.#signal.aborted ? "agent" : (this.#refusal?.fault ?? "provider");
    await this.#call.run.takeCall({
      model: { providerKey: this.#providerKey, model },
      request,
      ...read,
      firstTokenMs: this.#firstTokenMs,
      latencyMs,
      retries,
      failed: sent.kind === "failed" ? { error: sent.error, fault } : null,
    });
  }

  async deliver(sent: SendResult<void>): Promise<void> {
    if (sent.kind === "answered" || this.#finish !== null) return void (await this.#finish?.());
    const { outgoing, run } = this.#call;
    if (this.#refusal === null)
      return sendError(outgoing, this.#signal.aborted ? 403 : 502, run.hide(sent.error.message));
    const { status, headers, text } = this.#refusal;
    outgoing.writeHead(status, headers).end(text);
  }

  /** What an earlier attempt left says nothing about this one. */
  #forget(): void {
    this.#refusal = null;
    this.#body = null;
    this.#firstTokenMs = null;
    this.#finish = null;
  }

  #send(upstream: Upstream): Promise<Response> {
    const { incoming, url, send } = this.#call;
    const { route, body, request } = this.#request;
    const { method = "", headers } = incoming;
    const changed = withUsage(route, request);
    return send(upstreamUrl(upstream, route, url.search), {
      method,
      headers: upstreamHeaders(upstream, headers),
      ...(method === "GET"
        ? {}
        : { body: changed === null ? new Uint8Array(body) : JSON.stringify(changed) }),
      signal: this.#signal,
    });
  }

  async #takeWhole(answer: Response): Promise<void> {
    const text = this.#hide(await answer.text());
    if (this.#request.route.protocol !== null) this.#body = JSON.parse(text) as unknown;
    const { outgoing } = this.#call;
    this.#finish = () => outgoing.writeHead(answer.status, answerHeaders(answer, this.#hide)).end(text);
  }

  async #relay(upstream: Upstream, answer: Response, protocol: Protocol, startedAtMs: number): Promise<void> {
    const { outgoing, clock } = this.#call;
    const isUsageAdded = withUsage(this.#request.route, this.#request.request) !== null;
    const pieces: unknown[] = [];
    this.#body = pieces;
    const events = readEvents(answer.body ?? new ReadableStream<Uint8Array>());
    for (let next = await events.next(); !next.done; next = await events.next()) {
      const event = { ...next.value, raw: this.#hide(next.value.raw) };
      // Not all data is JSON: some streams end with a word.
      const piece = parseJson(event.data);
      if (piece !== undefined) pieces.push(piece);
      const failure = failureIn(upstream, piece);
      if (failure !== null && !outgoing.headersSent) throw failure;
      if (failure !== null || PROTOCOLS[protocol].isLast(event.data, piece)) {
        this.#finish = () => this.#writeRest(answer, event, events);
        if (failure === null) return;
        throw tooLate(failure);
      }
      if (PROTOCOLS[protocol].hasText(piece))
        this.#firstTokenMs ??= Math.round(clock.monotonicMs() - startedAtMs);
      if (!(isUsageAdded && isUsageAlone(piece))) await this.#write(answer, event.raw);
    }
    if (pieces.length === 0) throw new Error("the stream ended before the reply began");
    this.#finish = () => outgoing.end();
  }

  async #writeRest(answer: Response, last: SentEvent, events: AsyncGenerator<SentEvent>): Promise<void> {
    await this.#write(answer, last.raw);
    for await (const event of events) await this.#write(answer, this.#hide(event.raw));
    this.#call.outgoing.end();
  }

  async #write(answer: Response, text: string): Promise<void> {
    const { outgoing } = this.#call;
    if (!outgoing.headersSent) outgoing.writeHead(answer.status, answerHeaders(answer, this.#hide));
    if (!outgoing.write(text)) await once(outgoing, "drain", { signal: this.#signal });
  }

  /** What the agent has begun to read cannot be sent to it once more. */
  #lost(upstream: Upstream, error: unknown): ProviderError {
    const lost = lostAnswer(upstream, error);
    return this.#call.outgoing.headersSent ? tooLate(lost) : lost;
  }

  /** Takes out what the agent may not see: a server that repeats a key does not get it through. */
  readonly #hide = (text: string): string => this.#call.run.hide(text);
}

const tooLate = (error: ProviderError): ProviderError =>
  new ProviderError(error.code, `${error.message}, after the reply had begun`, {
    retryable: false,
    cause: error,
  });
