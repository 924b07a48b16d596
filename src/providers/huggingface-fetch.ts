import * as z from "zod";
import { parseJson } from "../domain/parse-json.ts";
import { type CallPlace, failedAnswer } from "./failed-call.ts";
import { patientFetch } from "./patient-fetch.ts";

const HUB_HOST = "huggingface.co";

interface Place extends CallPlace {
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
}

/**
 * The `fetch` of the SDK's calls. With a base URL of our own, requests go there instead of to the router, and the
 * hub is not asked who serves a model. An answer that is an error is thrown here, where its headers are still known.
 */
export function huggingfaceFetch(place: Place, providers: readonly string[]) {
  const send = patientFetch();
  return (signal: AbortSignal | undefined): typeof fetch =>
    async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      if (place.baseUrl !== null && url.hostname === HUB_HOST)
        return Response.json(everyoneServes(url, providers));
      const answer = await send(targetOf(place, url), {
        ...init,
        headers: headersFor(place, init?.headers),
        // The SDK asks the hub without the signal.
        ...(signal === undefined ? {} : { signal }),
      });
      if (answer.ok) return answer;
      const text = await answer.text();
      throw failedAnswer(place, { status: answer.status, message: reasonIn(text), headers: answer.headers });
    };
}

/** The base URL stands for the router's; `/v1` at its end is the habit of other SDKs, and part of the path here. */
function targetOf({ baseUrl }: Place, url: URL): URL {
  if (baseUrl === null) return url;
  return new URL(`${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}${url.pathname}${url.search}`);
}

function headersFor({ apiKey, baseUrl }: Place, given: ConstructorParameters<typeof Headers>[0]): Headers {
  const headers = new Headers(given);
  if (baseUrl !== null && apiKey !== null) headers.set("authorization", `Bearer ${apiKey}`);
  return headers;
}

/** As the hub answers, for every provider: the SDK keeps it by model, whichever provider it asked for. */
function everyoneServes(url: URL, providers: readonly string[]) {
  const providerId = decodeURIComponent(url.pathname.replace(/^\/api\/models\//, ""));
  const mapping = { providerId, status: "live", task: "conversational" };
  return { inferenceProviderMapping: Object.fromEntries(providers.map((provider) => [provider, mapping])) };
}

const words = z.string().min(1);
const Reason = z.union([
  z.object({ error: z.object({ message: words }) }).transform(({ error }) => error.message),
  z.object({ error: words }).transform(({ error }) => error),
  z.object({ message: words }).transform(({ message }) => message),
  z.object({ detail: words }).transform(({ detail }) => detail),
]);

/** Each provider behind the router has its own shape of errors. */
const reasonIn = (text: string): string => Reason.safeParse(parseJson(text)).data ?? text.slice(0, 500);
