import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod";
import type { Clock } from "../../domain/clock.ts";
import { type Json, parseJson } from "../../domain/json.ts";
import { lostAnswer } from "../../providers/failed-call.ts";
import { ProviderError } from "../../providers/provider.ts";
import type { Variables } from "../../providers/table.ts";
import type { Gateway } from "../gateway.ts";
import { answerHeaders, failureIn, type Refusal, readRefusal } from "./answers.ts";
import { PROTOCOLS } from "./protocols.ts";
import type { GatewayRoute, ModelRequest, Protocol } from "./request.ts";
import type { GatewayRun } from "./run.ts";
import { readUpstream, type Upstream, upstreamHeaders, upstreamUrl } from "./upstream.ts";

/** One request of an agent's SDK, as it came in. */
export interface IncomingCall {
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
}

/** One call of an agent's SDK on its way to the real server and back. */
export class Exchange {
  /** The last answer that was no reply. */
  refusal: Refusal | null = null;
  /** A whole body, or the pieces of a stream as far as they came. */
  said: unknown = null;
  firstTokenMs: number | null = null;
  readonly #call: IncomingCall;
  readonly #asked: ModelRequest;
  readonly #providerKey: string;
  readonly #signal: AbortSignal;
  #finish: (() => unknown) | null = null;

  constructor(call: IncomingCall, asked: ModelRequest, providerKey: string, signal: AbortSignal) {
    this.#call = call;
    this.#asked = asked;
    this.#providerKey = providerKey;
    this.#signal = signal;
  }

  /** Sends the call and takes the reply up to its end, which waits for `finish`; only pieces before the end go on at once. */
  async attempt(): Promise<void> {
    const { route } = this.#asked;
    const upstream = readUpstream(route.family, this.#providerKey, this.#call.variables);
    this.#forget();
    const startedAtMs = this.#call.clock.monotonicMs();
    try {
      const answer = await this.#send(upstream);
      if (!answer.ok) {
        this.refusal = await readRefusal(upstream, answer, this.#hide);
        throw this.refusal.error;
      }
      const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
      if (isStream && route.protocol !== null)
        await this.#relay(upstream, answer, route.protocol, startedAtMs);
      else await this.#takeWhole(answer);
    } catch (error) {
      this.#signal.throwIfAborted();
      throw error instanceof ProviderError ? error : this.#lost(upstream, error);
    }
  }

  /** Whether the agent still has to get the server's own words: the end of the reply, or why it broke off. */
  get hasEnd(): boolean {
    return this.#finish !== null;
  }

  /** Sends the agent that end. */
  async finish(): Promise<void> {
    await this.#finish?.();
  }

  /** What an earlier attempt left says nothing about this one. */
  #forget(): void {
    this.refusal = null;
    this.said = null;
    this.firstTokenMs = null;
    this.#finish = null;
  }

  #send(upstream: Upstream): Promise<Response> {
    const { incoming, url, send } = this.#call;
    const { route, body, request } = this.#asked;
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
    if (this.#asked.route.protocol !== null) this.said = JSON.parse(text) as unknown;
    const { outgoing } = this.#call;
    this.#finish = () => outgoing.writeHead(answer.status, answerHeaders(answer, this.#hide)).end(text);
  }

  async #relay(upstream: Upstream, answer: Response, protocol: Protocol, startedAtMs: number): Promise<void> {
    const { outgoing, clock } = this.#call;
    const isUsageAdded = withUsage(this.#asked.route, this.#asked.request) !== null;
    const pieces: unknown[] = [];
    this.said = pieces;
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
        this.firstTokenMs ??= Math.round(clock.monotonicMs() - startedAtMs);
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

/** One server-sent event: its text as it came, blank line included, and the data in it. */
interface SentEvent {
  readonly raw: string;
  readonly data: string;
}

/** Far more than any event of a model has. */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

/** The events of a stream as they come; what follows the last blank line comes as an event of its own. */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SentEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of bytes) {
    const text = rest + decoder.decode(chunk, { stream: true });
    // A blank line may have begun in what was read before.
    let from = 0;
    const blank = /\r\n\r\n|\n\n|\r\r/g;
    blank.lastIndex = Math.max(0, rest.length - 3);
    for (let found = blank.exec(text); found !== null; found = blank.exec(text)) {
      yield toEvent(text.slice(from, blank.lastIndex));
      from = blank.lastIndex;
    }
    rest = text.slice(from);
    if (rest.length > MAX_EVENT_CHARACTERS) throw new Error("one event of the stream has more than 16 MB");
  }
  rest += decoder.decode();
  if (rest !== "") yield toEvent(rest);
}

function toEvent(raw: string): SentEvent {
  const data = raw
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice("data:".length).replace(/^ /, ""));
  return { raw, data: data.join("\n") };
}

const Streamed = z.looseObject({
  stream: z.literal(true),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});
const UsageAlone = z.object({ choices: z.tuple([]), usage: z.looseObject({}) });

/** A stream of Chat Completions says what it used only when asked: the request with that question, or null if it needs none. */
function withUsage(route: GatewayRoute, request: Json | null): object | null {
  if (route.path !== "chat/completions") return null;
  const { success, data } = Streamed.safeParse(request);
  if (!success || data.stream_options?.include_usage) return null;
  return { ...data, stream_options: { ...data.stream_options, include_usage: true } };
}

/** The answer to that question, which an agent that did not ask may stumble over. */
const isUsageAlone = (piece: unknown): boolean => UsageAlone.safeParse(piece).success;
