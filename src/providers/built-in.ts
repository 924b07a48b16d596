import * as z from "zod";
import type { Clock } from "../domain/clock.ts";
import { EvaluatorError } from "../domain/errors.ts";
import { didYouMean } from "../domain/format.ts";
import { requestWarnings } from "./abilities.ts";
import { failedAnswer, lostAnswer, streamedFailure } from "./failed-call.ts";
import {
  type CallPlace,
  type ChatChunk,
  type ChatProvider,
  type ChatReply,
  type ChatRequest,
  ProviderError,
  type ProviderFactory,
} from "./provider.ts";
import { SCRIPTED, type Scripts, scriptedProvider } from "./scripted.ts";
import { findProvider, PROVIDER_TABLE, type Variables } from "./table.ts";

interface FactoryOptions {
  readonly clock: Clock;
  readonly scripts: z.output<typeof Scripts>;
  /** The environment by default. */
  readonly variables?: Variables;
}

export const KNOWN_PROVIDERS: readonly string[] = [
  ...Object.values(PROVIDER_TABLE).flatMap(({ keys }) => keys),
  SCRIPTED,
];

export const isKnownProvider = (key: string): boolean => key === SCRIPTED || findProvider(key) !== null;

/** The providers that come with the evaluator, by key. */
export const builtInProviders =
  ({ clock, scripts, variables }: FactoryOptions): ProviderFactory =>
  async (key): Promise<ChatProvider> => {
    if (key === SCRIPTED) return scriptedProvider(scripts, clock);
    const found = findProvider(key, variables);
    if (found === null) throw new EvaluatorError("provider.unknown", whyUnknown(key));
    checkKeys([key], variables);
    const make = await found.entry.load();
    return guardedProvider(found.settings, make(found.settings));
  };

/** Throws, with all that is missing, unless every one of these providers has the variables it needs. */
export function checkKeys(providerKeys: Iterable<string>, variables?: Variables): void {
  const missing = findMissing(providerKeys, variables);
  if (missing.length === 0) return;
  const lines = missing.map(({ key, names }) => `  ${key}: set ${names.join(" and ")}`);
  throw new EvaluatorError(
    "provider.key_missing",
    "missing API keys or addresses of models " +
      `(agent-evaluator reads .env, a script needs node --env-file=.env):\n${lines.join("\n")}`,
  );
}

export interface MissingVariables {
  readonly key: string;
  /** Each may be several names of which one is enough. */
  readonly names: readonly string[];
}

/** The providers that lack variables they need. */
export const findMissing = (providerKeys: Iterable<string>, variables?: Variables): MissingVariables[] =>
  [...new Set(providerKeys)]
    .map((key) => ({ key, names: findProvider(key, variables)?.missing ?? [] }))
    .filter(({ names }) => names.length > 0);

/** Says what is wrong with an unknown provider key, and which keys there are. */
export function whyUnknown(key: string): string {
  const [word = "", name] = key.split(":");
  const names = name && Object.hasOwn(PROVIDER_TABLE, word) ? PROVIDER_TABLE[word]?.names : undefined;
  if (names !== undefined)
    return `${word} has no provider "${name}"; the providers are ${names.join(", ")}${hintAt(name ?? "", names)}`;
  return `unknown provider "${key}"; the providers are ${KNOWN_PROVIDERS.join(", ")}${hintAt(key, KNOWN_PROVIDERS)}`;
}

const hintAt = (typed: string, known: readonly string[]): string => {
  const hint = didYouMean(typed, known);
  return hint === "" ? "" : `.${hint}`;
};

/** Turns all that a provider's SDK throws into a ProviderError, and says what of a request was not sent as it is. */
function guardedProvider(place: CallPlace, provider: Required<ChatProvider>): ChatProvider {
  const [word = ""] = place.providerKey.split(":", 1);
  const withWarnings = (request: ChatRequest, reply: ChatReply): ChatReply => {
    const warnings = [...requestWarnings(word, request), ...(reply.warnings ?? [])];
    return warnings.length === 0 ? reply : { ...reply, warnings };
  };
  return {
    async generate(request, options): Promise<ChatReply> {
      options?.signal?.throwIfAborted();
      try {
        return withWarnings(request, await provider.generate(request, options));
      } catch (error) {
        throw asFailure(place, error, options?.signal);
      }
    },
    async *stream(request, options): AsyncGenerator<ChatChunk> {
      options?.signal?.throwIfAborted();
      try {
        for await (const chunk of provider.stream(request, options)) {
          yield chunk.kind === "text" ? chunk : { kind: "reply", reply: withWarnings(request, chunk.reply) };
        }
      } catch (error) {
        throw asFailure(place, error, options?.signal);
      }
    },
  };
}

function asFailure(place: CallPlace, error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  return ownFailure(error) ?? answeredFailure(place, error) ?? lostAnswer(place, error);
}

/** Finds the ProviderError that our `fetch` threw, which some SDKs wrap. */
function ownFailure(error: unknown): ProviderError | undefined {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    if (inner instanceof ProviderError) return inner;
  }
  return undefined;
}

/** What the SDKs throw for an error answer, with its status, and for an error within a stream, without one. */
const Thrown = z.object({
  status: z.number().optional(),
  message: z.string(),
  /** Of Anthropic's SDK; its `message` is the whole body. */
  apiMessage: z.string().nullish().catch(null),
  type: z.string().nullish().catch(null),
  code: z.union([z.string(), z.number()]).nullish().catch(null),
  headers: z.instanceof(Headers).optional().catch(undefined),
});

function answeredFailure(place: CallPlace, error: unknown): ProviderError | undefined {
  if (!(error instanceof Error) || !("status" in error)) return undefined;
  const { success, data } = Thrown.safeParse(error);
  if (!success) return undefined;
  const { status, code, type, headers, apiMessage } = data;
  if (status !== undefined)
    return failedAnswer(place, { status, message: data.message, headers, code, cause: error });
  if (code == null && type == null) return undefined;
  return streamedFailure(place, { message: apiMessage ?? data.message, type, code, cause: error });
}
