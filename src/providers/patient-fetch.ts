import { LevelCounter, MAX_TEXT_LEVELS } from "../domain/json.ts";
import { ProviderError } from "./provider.ts";

/** Timeout of one reply; the limits of a run are far shorter. */
export const CALL_TIMEOUT_MS = 3_600_000;

const GLOBAL_DISPATCHER = Symbol.for("undici.globalDispatcher.1");

/**
 * Node's own `fetch` gives up after five minutes without a byte, and a model may think for longer than that; and it
 * takes any reply, however large or deep.
 */
export function patientFetch(silenceMs: number = CALL_TIMEOUT_MS): typeof fetch {
  const options = { headersTimeout: silenceMs, bodyTimeout: silenceMs };
  // Of the same class as Node's, because that one knows about the proxy in the environment.
  const { constructor: Dispatcher } = Object(Object(globalThis)[GLOBAL_DISPATCHER]);
  const dispatcher = Dispatcher === Object ? {} : { dispatcher: new Dispatcher(options) };
  return async (url, init) => boundedReply(await fetch(url, { ...init, ...dispatcher }));
}

/** Far more than any model writes. */
export const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/** The same answer; its body breaks off where it gets larger or deeper than any reply of a model. */
export function boundedReply(answer: Response): Response {
  if (answer.body === null) return answer;
  const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
  const levels = new LevelCounter(isStream);
  let bytes = 0;
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      levels.add(chunk);
      if (bytes > MAX_REPLY_BYTES) throw tooMuch(`has more than ${MAX_REPLY_BYTES / 1024 / 1024} MB`);
      if (levels.deepest > MAX_TEXT_LEVELS) throw tooMuch(`is nested deeper than ${MAX_TEXT_LEVELS} levels`);
      controller.enqueue(chunk);
    },
  });
  return new Response(answer.body.pipeThrough(watch), answer);
}

const tooMuch = (what: string): ProviderError =>
  new ProviderError("limit", `the model's server sent a reply that ${what}`, {
    retryable: false,
    usage: null,
  });
