import * as z from "zod";
import { type CallPlace, failedAnswer } from "./failed-call.ts";
import type { ProviderError } from "./provider-error.ts";

const Told = z.object({
  message: z.string(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
});
type Told = z.infer<typeof Told>;

/** Where the protocols put it: in the piece, in its `response`, or the piece is the error itself. */
const Failed = z.union([
  z.object({ error: Told }).transform(({ error }) => error),
  z.object({ response: z.object({ error: Told }) }).transform(({ response }) => response.error),
  Told.extend({ type: z.literal("error") }),
]);

/** The status that the same error has where it comes before the stream. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  overloaded_error: 529,
};

/** An error that comes within a stream, after the status had said that all is well; null for any other piece. */
export function failureIn(place: CallPlace, piece: unknown): ProviderError | null {
  const { data } = Failed.safeParse(piece);
  if (data === undefined) return null;
  return failedAnswer(place, { status: statusOf(data), message: data.message, code: data.code });
}

function statusOf({ code, type }: Told): number {
  if (typeof code === "number") return code;
  return STATUSES[code ?? ""] ?? STATUSES[type ?? ""] ?? 500;
}
