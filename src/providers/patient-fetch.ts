import { boundedReply } from "./bounded-reply.ts";

/** For one reply; a run's own limit of time comes before it. */
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
