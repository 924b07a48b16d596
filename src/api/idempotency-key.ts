import * as z from "zod";
import { readInput } from "./read-input.ts";

/** Stands for one request, however often it is sent. */
const IdempotencyKey = z.string().regex(/^[\x21-\x7e]{1,200}$/, "1 to 200 visible ASCII characters");

export const KeyHeaders = z.object({ "idempotency-key": IdempotencyKey.optional() });

export function readKey({ headers }: Request): string | undefined {
  const given = { "idempotency-key": headers.get("idempotency-key") ?? undefined };
  return readInput("headers", KeyHeaders, given)["idempotency-key"];
}
