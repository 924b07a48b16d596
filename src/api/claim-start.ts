import { type EvaluationId, makeEvaluationId } from "../domain/ids.ts";
import { canonicalJson, type Json } from "../domain/json.ts";
import { sha256 } from "../system/digest.ts";
import { RequestError } from "./errors.ts";
import type { ApiParts } from "./route.ts";

const KEPT_MS = 24 * 60 * 60 * 1_000;

/** The id that a request stands for: the same one when it is sent again, and null when it has no key. */
export async function claimStart(
  { store, clock, random }: Pick<ApiParts, "store" | "clock" | "random">,
  key: string | undefined,
  { name, request }: { readonly name: string; readonly request: object },
): Promise<EvaluationId | null> {
  if (key === undefined) return null;
  const now = clock.now();
  const claim = {
    key,
    fingerprint: sha256(canonicalJson(request as Json)),
    evaluationId: makeEvaluationId(name, now.getTime(), random),
    expiresAt: new Date(now.getTime() + KEPT_MS),
  };
  const holding = await store.claimRequest(claim, now);
  if (holding.fingerprint === claim.fingerprint) return holding.evaluationId;
  throw new RequestError(
    "request.key_reused",
    "this key was sent with another request before; take a new key for a new request",
    "headers.idempotency-key",
  );
}
