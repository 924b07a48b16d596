import { excessOf, parseJson } from "../../domain/json.ts";
import type { Violation } from "../frames.ts";
import { FromChild } from "../isolation.ts";

/** Reads a message as a child wrote it, or says what is wrong with it. */
export function readMessage(
  json: Buffer,
):
  | { readonly kind: "message"; readonly message: FromChild }
  | { readonly kind: "violation"; readonly violation: Violation } {
  const excess = excessOf(json);
  if (excess !== null) return violation("limit", `sent a message that ${excess}`);
  const message = FromChild.safeParse(parseJson(json.toString())).data;
  return message === undefined
    ? violation("agent_error", "wrote something that is not a message")
    : { kind: "message", message };
}

const violation = (cause: Violation["cause"], why: string) =>
  ({ kind: "violation", violation: { cause, why } }) as const;
