import * as z from "zod";
import { boundedReply } from "./bounded-reply.ts";
import { ProviderError } from "./provider-error.ts";

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

/** Whose call it was, and which variable holds its key: null where the account's own role is the key. */
export interface CallPlace {
  readonly providerKey: string;
  readonly keyVariable: string | null;
}

export interface FailedAnswer {
  readonly status: number;
  readonly message: string;
  readonly headers?: Pick<Headers, "get"> | undefined;
  /** The provider's own word for what went wrong. */
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** Sent as 429 too, but no waiting brings the money back. */
const NO_QUOTA = "insufficient_quota";

/** What an HTTP answer that is no reply says about trying again. */
export function failedAnswer(place: CallPlace, answer: FailedAnswer): ProviderError {
  const { status, headers, cause } = answer;
  const waitMs = headers === undefined ? undefined : askedWaitMs(headers);
  const message = `${place.providerKey} answered ${status}: ${answer.message.trim() || "no reason given"}${signInHint(place, status)}`;
  if (answer.code === NO_QUOTA)
    return new ProviderError("provider_error", message, { retryable: false, cause });
  return new ProviderError(status === 429 ? "rate_limited" : "provider_error", message, {
    retryable: status === 408 || status === 409 || status === 429 || status >= 500,
    ...(waitMs === undefined ? {} : { waitMs }),
    cause,
  });
}

/** No answer, half an answer, or one that nobody can read: the next try may do better. */
export const lostAnswer = (place: CallPlace, cause: unknown): ProviderError =>
  new ProviderError("provider_error", `${place.providerKey} gave no readable reply: ${reasonOf(cause)}`, {
    retryable: true,
    cause,
  });

function signInHint({ keyVariable }: CallPlace, status: number): string {
  if (status !== 401 && status !== 403) return "";
  return keyVariable === null
    ? "; check the credentials of the account"
    : `; check the key in ${keyVariable}, and what it may use`;
}

/** A date is measured against the server's own clock, which came with the same answer. */
function askedWaitMs(headers: Pick<Headers, "get">): number | undefined {
  const ms = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (ms >= 0) return ms;
  const asked = headers.get("retry-after") ?? "";
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(asked)) return Number(asked) * 1_000;
  const until = Date.parse(asked) - Date.parse(headers.get("date") ?? "");
  return until >= 0 ? until : undefined;
}

/** The innermost cause says what happened to the connection. */
function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return `its shape is unknown: ${z.prettifyError(error).split("\n")[0]}`;
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
  const inner = error.cause instanceof Error ? `: ${reasonOf(error.cause)}` : "";
  return `${error.message || error.name}${code}${inner}`;
}
