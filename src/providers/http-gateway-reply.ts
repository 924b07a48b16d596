import { Json } from "../domain/json.ts";
import type { CallUsage } from "../domain/usage.ts";
import { PROTOCOLS, type WireProtocol } from "./http-gateway-protocols.ts";
import type { Protocol } from "./http-gateway-routes.ts";

export interface ReadReply {
  readonly reply: Json | null;
  readonly usage: CallUsage | null;
}

/** What a reply said and used, whether it came whole or in pieces, or broke off; a reply of an unknown kind is kept as it came. */
export async function readReply(protocol: Protocol, said: unknown): Promise<ReadReply> {
  const wire = PROTOCOLS[protocol];
  try {
    const reply = Array.isArray(said) ? await wire.readPieces(said) : wire.readWhole(said);
    return { reply: reply as Json, usage: reply.usage };
  } catch {
    const pieces = Array.isArray(said) ? said : [said];
    return { reply: Json.safeParse(said).data ?? null, usage: usageOrNull(wire, pieces) };
  }
}

function usageOrNull(wire: WireProtocol, pieces: readonly unknown[]): CallUsage | null {
  try {
    return wire.readUsage(pieces);
  } catch {
    return null;
  }
}
