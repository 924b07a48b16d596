import { LevelCounter } from "../domain/json.ts";
import { ProviderError } from "./provider.ts";

/** Timeout of one reply; the limits of a run are far shorter. */
export const CALL_TIMEOUT_MS = 3_600_000;

const GLOBAL_DISPATCHER = Symbol.for("undici.globalDispatcher.1");

/**
 * Node's own `fetch` gives up after five minutes without a byte, and a model may think for longer than that; it takes
 * any reply, however large or deep; and it takes the headers of a call, keys among them, wherever a server points.
 */
export function patientFetch(silenceMs: number = CALL_TIMEOUT_MS): typeof fetch {
  const options = { headersTimeout: silenceMs, bodyTimeout: silenceMs };
  // Of the same class as Node's, because that one knows about the proxy in the environment.
  const { constructor: Dispatcher } = Object(Object(globalThis)[GLOBAL_DISPATCHER]);
  const dispatcher = Dispatcher === Object ? {} : { dispatcher: new Dispatcher(options) };
  const send: typeof fetch = (url, init) => fetch(url, { ...init, ...dispatcher, redirect: "manual" });
  return async (url, init) => boundedReply(await followAtHome(send, url, init));
}

type FetchTarget = Parameters<typeof fetch>[0];
type FetchInit = Parameters<typeof fetch>[1];

const MOST_REDIRECTS = 5;

/** Asks again where a server points to another place of its own; what would go elsewhere is refused. */
async function followAtHome(send: typeof fetch, to: FetchTarget, init: FetchInit): Promise<Response> {
  let at = new URL(to instanceof Request ? to.url : String(to));
  const method = init?.method ?? (to instanceof Request ? to.method : "GET");
  let answer = await send(to, init);
  for (let count = 0; isRedirect(answer); count++) {
    const next = URL.parse(answer.headers.get("location") ?? "", at.href);
    // Only these two ask for the same request once more.
    const isSame = method === "GET" || answer.status === 307 || answer.status === 308;
    const isAtHome = next?.origin === at.origin && isSame && !(to instanceof Request);
    if (next === null || !isAtHome || count === MOST_REDIRECTS) throw redirected(at, answer, next);
    await answer.body?.cancel();
    at = next;
    answer = await send(at.href, init);
  }
  return answer;
}

const isRedirect = ({ status, headers }: Response): boolean =>
  [301, 302, 303, 307, 308].includes(status) && headers.has("location");

const redirected = (from: URL, { status }: Response, to: URL | null): ProviderError =>
  new ProviderError(
    "provider_error",
    `${from.origin} answered ${status} and redirects to ${to?.origin ?? "no address"}${to?.pathname ?? ""}, where the key was not ` +
      "sent; if that is right, set the base URL to it",
    { retryable: false, usage: null },
  );

const MB = 1024 * 1024;
/** Far more than any model writes. */
export const MAX_REPLY_BYTES = 64 * MB;
/** So much may all replies have that are being read; then those larger than the rest break off. */
export const MAX_BYTES_IN_ALL = 512 * MB;

/** What is being read at the moment. */
const underWay = { replies: 0, bytes: 0 };

/** The same answer; its body breaks off where it gets larger, deeper or more manifold than any reply of a model. */
export function boundedReply(answer: Response): Response {
  if (answer.body === null) return answer;
  const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
  const levels = new LevelCounter(isStream);
  let bytes = 0;
  underWay.replies++;
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      underWay.bytes += chunk.length;
      levels.add(chunk);
      const excess = bytes > MAX_REPLY_BYTES ? `is larger than ${MAX_REPLY_BYTES / MB} MB` : levels.excess();
      if (excess !== null) throw tooMuch(excess);
      const isOverShare = underWay.bytes > MAX_BYTES_IN_ALL && bytes > MAX_BYTES_IN_ALL / underWay.replies;
      if (isOverShare) throw tooMuch(`takes all replies under way over ${MAX_BYTES_IN_ALL / MB} MB`);
      controller.enqueue(chunk);
    },
  });
  const end = () => {
    underWay.replies--;
    underWay.bytes -= bytes;
  };
  answer.body.pipeTo(watch.writable).then(end, end);
  return new Response(watch.readable, answer);
}

const tooMuch = (what: string): ProviderError =>
  new ProviderError("limit", `the model's server sent a reply that ${what}`, {
    retryable: false,
    usage: null,
  });
