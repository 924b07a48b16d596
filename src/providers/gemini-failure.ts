import * as z from "zod";
import { parseJson } from "../domain/parse-json.ts";
import { type CallPlace, failedAnswer } from "./failed-call.ts";
import type { ProviderError } from "./provider-error.ts";

const ErrorBody = z.object({
  error: z.object({
    message: z.string().default(""),
    details: z
      .array(z.looseObject({ reason: z.string().optional(), retryDelay: z.string().optional() }))
      .default([]),
  }),
});

/** What Gemini says in the body of an answer that is no reply: the SDK's own error has no headers. */
export async function geminiFailure(place: CallPlace, answer: Response): Promise<ProviderError> {
  const text = await answer.text();
  const said = ErrorBody.safeParse(parseJson(text)).data?.error;
  const { message, details } = said ?? { message: text.slice(0, 1_000), details: [] };
  const isBadKey = details.some(({ reason }) => reason === "API_KEY_INVALID");
  return failedAnswer(place, {
    // A wrong key is a 400 here, like a wrong request.
    status: isBadKey ? 401 : answer.status,
    message,
    headers: withRetryDelay(answer.headers, details),
  });
}

/** How long to wait stands in the body, as in "34.07s". */
function withRetryDelay(
  headers: Headers,
  details: readonly { readonly retryDelay?: string | undefined }[],
): Headers {
  const seconds = /^([\d.]+)s$/.exec(details.find(({ retryDelay }) => retryDelay)?.retryDelay ?? "")?.[1];
  if (seconds === undefined || headers.has("retry-after")) return headers;
  const added = new Headers(headers);
  added.set("retry-after", seconds);
  return added;
}
