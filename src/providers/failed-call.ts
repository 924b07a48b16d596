import * as z from "zod";
import { isRecord } from "../domain/json.ts";
import type { CallUsage } from "../domain/run/usage.ts";
import { type CallPlace, ProviderError, type ProviderTrouble } from "./provider.ts";

/** An HTTP answer with an error status. */
interface ErrorAnswer {
  readonly status: number;
  readonly message: string;
  readonly headers?: Pick<Headers, "get"> | undefined;
  /** The provider's own code for what went wrong. */
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** Sent as 429 too, but no waiting brings the money back. */
const NO_QUOTA = "insufficient_quota";

/** Turns an HTTP answer with an error status into a ProviderError that says whether to try again. */
export function failedAnswer(place: CallPlace, answer: ErrorAnswer): ProviderError {
  const { status, headers, cause } = answer;
  const waitMs = headers === undefined ? undefined : askedWaitMs(headers);
  const message = `${place.providerKey} answered ${status}: ${answer.message.trim() || "no reason given"}${signInHint(place, status)}`;
  if (answer.code === NO_QUOTA)
    return new ProviderError("provider_error", message, { retryable: false, cause });
  return new ProviderError(status === 429 ? "rate_limited" : "provider_error", message, {
    retryable: status === 408 || status === 409 || status === 429 || status >= 500,
    ...(waitMs === undefined ? {} : { waitMs }),
    trouble: status === 401 || status === 403 ? "authentication" : null,
    cause,
  });
}

/** The status that an error has where it comes before a stream, by its type or code within one. */
const STATUSES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    invalid_request_error: 400,
    authentication_error: 401,
    billing_error: 402,
    permission_error: 403,
    not_found_error: 404,
    rate_limit_error: 429,
    rate_limit_exceeded: 429,
    insufficient_quota: 429,
    api_error: 500,
    server_error: 500,
    timeout_error: 504,
    overloaded_error: 529,
  }),
);

/** An error that came within an answer of status 200, as a stream may end with one. */
interface StreamedError {
  readonly message: string;
  readonly type?: string | null | undefined;
  readonly code?: string | number | null | undefined;
  readonly cause?: unknown;
}

/** Turns such an error into a ProviderError; a type and code that are not known count as a failed server. */
export function streamedFailure(place: CallPlace, error: StreamedError, unknownStatus = 500): ProviderError {
  const { code, type, message, cause } = error;
  const known = STATUSES.get(String(code)) ?? STATUSES.get(type ?? "") ?? unknownStatus;
  return failedAnswer(place, {
    status: typeof code === "number" ? code : known,
    message,
    code: code ?? type,
    cause,
  });
}

/** Thrown for a whole answer that is of no known shape: the model has done its work. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
  readonly usage: CallUsage | null;

  constructor(why: unknown, usage: CallUsage | null = null) {
    // Of a long answer the error of its shape may be larger than the answer.
    super(reasonOf(why), why instanceof z.ZodError ? {} : { cause: why });
    this.usage = usage;
  }
}

/** Checks the shape of a whole answer; of another one only what it used is read. */
export function parseAnswer<Answer>(
  schema: z.ZodType<Answer>,
  answer: unknown,
  readUsage: (fields: Readonly<Record<string, unknown>>) => CallUsage | null,
): Answer {
  const { data, error } = schema.safeParse(answer);
  if (error === undefined) return data;
  throw new UnreadableAnswer(error, isRecord(answer) ? readUsage(answer) : null);
}

/**
 * A ProviderError for no answer, or half of one: the next try may do better. One for an answer of no known shape is
 * final: every further try would be paid for as well.
 */
export function lostAnswer(place: CallPlace, cause: unknown): ProviderError {
  const isUnreadable = cause instanceof UnreadableAnswer || cause instanceof z.ZodError;
  const usage = cause instanceof UnreadableAnswer ? cause.usage : null;
  return new ProviderError(
    "provider_error",
    `${place.providerKey} gave no readable reply: ${reasonOf(cause)}`,
    {
      retryable: !isUnreadable,
      ...(isUnreadable ? { usage } : { trouble: connectionTrouble(cause), cause }),
    },
  );
}

/** Codes of a host that is not there, or that is not the one it should be. */
const UNREACHABLE =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT_|DEPTH_ZERO_SELF|SELF_SIGNED|UNABLE_TO_|ERR_TLS_)/;

function connectionTrouble(error: unknown): ProviderTrouble | null {
  if (!(error instanceof Error)) return null;
  const isUnreachable = "code" in error && typeof error.code === "string" && UNREACHABLE.test(error.code);
  return isUnreachable ? "connection" : connectionTrouble(error.cause);
}

function signInHint({ keyVariable }: CallPlace, status: number): string {
  if (status !== 401 && status !== 403) return "";
  return keyVariable === null
    ? "; check the credentials of the account"
    : `; check the key in ${keyVariable} and its permissions`;
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
  // One of its issues is enough, and a long answer may have one in every place.
  if (error instanceof z.ZodError)
    return `it has an unknown format: ${z.prettifyError({ issues: error.issues.slice(0, 1) }).split("\n")[0]}`;
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
  const inner = error.cause instanceof Error ? `: ${reasonOf(error.cause)}` : "";
  return `${error.message || error.name}${code}${inner}`;
}
