import * as z from "zod";
import { parseJson } from "../domain/parse-json.ts";
import { failedAnswer } from "./failed-call.ts";
import { geminiFailure } from "./gemini-failure.ts";
import { answerHeaders, readText } from "./http-gateway-answer.ts";
import type { Upstream } from "./http-gateway-upstream.ts";
import type { ProviderError } from "./provider-error.ts";

/** An answer of the real server that is no reply, as it goes on to the agent and as we understand it. */
export interface Refusal {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly error: ProviderError;
  readonly fault: "provider" | "agent";
}

/** The agent's own code wrote what these refuse. */
const BAD_REQUESTS = [400, 413, 422];

export async function readRefusal(
  upstream: Upstream,
  answer: Response,
  hide: (text: string) => string,
): Promise<Refusal> {
  const { status, headers } = answer;
  const text = hide(await readText(answer));
  // Gemini calls a wrong key a bad request.
  const isAgents = BAD_REQUESTS.includes(status) && !text.includes("API_KEY_INVALID");
  const again = () => new Response(text, { status, headers });
  const { message, code } = readBody(text);
  const error =
    upstream.family === "gemini"
      ? await geminiFailure(upstream, again())
      : failedAnswer(upstream, { status, message, headers, code });
  return {
    status,
    headers: answerHeaders(answer, hide),
    text,
    error,
    fault: isAgents ? "agent" : "provider",
  };
}

const ErrorBody = z.object({ error: z.object({ message: z.string(), code: z.unknown().optional() }) });

const readBody = (text: string): { message: string; code?: unknown } =>
  ErrorBody.safeParse(parseJson(text)).data?.error ?? { message: text.slice(0, 1_000) };
