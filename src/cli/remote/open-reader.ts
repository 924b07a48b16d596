import { EvaluatorError } from "../../domain/evaluator-error.ts";
import { systemClock } from "../../engine/system-clock.ts";
import type { EvaluationReader } from "../evaluation-reader.ts";
import type { Host } from "../host.ts";
import { openStoreToRead } from "../open-store.ts";
import { UsageError } from "../usage-error.ts";
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
  const { remoteReader } = await import("./remote-reader.ts");
  return remoteReader(await openApi(host, place.remote, place.token));
}

export async function openApi(
  host: Host,
  url: string,
  given: string | undefined,
  signal?: AbortSignal,
): Promise<ApiClient> {
  const token = given ?? host.env.AGENT_EVALUATOR_TOKEN;
  if (!token) {
    throw new EvaluatorError(
      "remote.no_token",
      `${url} asks for a token; set AGENT_EVALUATOR_TOKEN or --token to the one that it was started with`,
    );
  }
  const { ApiClient } = await import("./api-client.ts");
  return new ApiClient({ url, token, clock: systemClock, ...(signal === undefined ? {} : { signal }) });
}
