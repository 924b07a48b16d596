import * as z from "zod";
import { EvaluationId } from "../domain/ids.ts";
import type { RequestClaim } from "./contract.ts";
import { readStored } from "./read-stored.ts";

const StoredClaim = z.object({
  v: z.literal(1),
  key: z.string(),
  fingerprint: z.string(),
  evaluationId: EvaluationId,
  expiresAt: z.iso.datetime(),
});

export const claimToText = (claim: RequestClaim): string =>
  JSON.stringify({ v: 1, ...claim, expiresAt: claim.expiresAt.toISOString() });

export function claimFromText(text: unknown): RequestClaim {
  const { v: _v, expiresAt, ...claim } = readStored(StoredClaim, text, "The claim of a request");
  return { ...claim, expiresAt: new Date(expiresAt) };
}
