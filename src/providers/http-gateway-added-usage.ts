import * as z from "zod";
import type { Json } from "../domain/json.ts";
import type { Route } from "./http-gateway-routes.ts";

const Streamed = z.looseObject({
  stream: z.literal(true),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});
const UsageAlone = z.object({ choices: z.tuple([]), usage: z.looseObject({}) });

/** A stream of Chat Completions says what it used only when asked: the request with that question, or null if it needs none. */
export function withUsage(route: Route, request: Json | null): object | null {
  if (route.path !== "chat/completions") return null;
  const { success, data } = Streamed.safeParse(request);
  if (!success || data.stream_options?.include_usage) return null;
  return { ...data, stream_options: { ...data.stream_options, include_usage: true } };
}

/** The answer to that question, which an agent that did not ask may stumble over. */
export const isUsageAlone = (piece: unknown): boolean => UsageAlone.safeParse(piece).success;
