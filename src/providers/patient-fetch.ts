/** For one reply; a run's own limit of time comes before it. */
export const CALL_TIMEOUT_MS = 3_600_000;

const GLOBAL_DISPATCHER = Symbol.for("undici.globalDispatcher.1");

/** Node's own `fetch` gives up after five minutes without a byte, and a model may think for longer than that. */
export function patientFetch(silenceMs: number = CALL_TIMEOUT_MS): typeof fetch {
  const options = { headersTimeout: silenceMs, bodyTimeout: silenceMs };
  // Of the same class as Node's, because that one knows about the proxy in the environment.
  const { constructor: Dispatcher } = Object(Object(globalThis)[GLOBAL_DISPATCHER]);
  if (Dispatcher === Object) return fetch;
  const dispatcher = new Dispatcher(options);
  return (url, init) => fetch(url, { ...init, dispatcher });
}
