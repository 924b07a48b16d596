import { systemClock } from "../../engine/system.ts";
import { UsageError } from "../errors.ts";
import type { EvaluationReader } from "../find-evaluation.ts";
import type { Host } from "../host.ts";
import { openStoreToRead } from "../store.ts";
import type { ApiClient } from "./api-client.ts";

export interface Place {
  readonly store?: string | undefined;
  readonly remote?: string | undefined;
  readonly token?: string | undefined;
}

/** Where a command looks: an API, or the store of this folder, which may not be there. */
export async function openReader(
  host: Host,
  place: Place,
  command: string,
): Promise<EvaluationReader | null> {
  if (place.remote === undefined) return openStoreToRead(host, place.store);
  if (place.store !== undefined) throw new UsageError("--store and --remote do not go together.", command);
  const { remoteReader } = await import("./reader.ts");
  return remoteReader(await openApi(host, place.remote, place.token));
}

export async function openApi(
  host: Host,
  url: string,
  given: string | undefined,
  signal?: AbortSignal,
): Promise<ApiClient> {
  // Without one the server is asked all the same: only its answer tells a missing token from a wrong address.
  const token = given ?? (host.env.AGENT_EVALUATOR_TOKEN || null);
  const { ApiClient } = await import("./api-client.ts");
  return new ApiClient({ url, token, clock: systemClock, ...(signal === undefined ? {} : { signal }) });
}
