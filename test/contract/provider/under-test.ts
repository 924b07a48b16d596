import type { Json } from "../../../src/domain/json.ts";
import type { CallUsage } from "../../../src/domain/run/usage.ts";
import type { ChatRequest } from "../../../src/providers/provider.ts";

/** What the body that is sent contains, as `toMatchObject` takes it; null where the provider has no such thing. */
export type InBody = object | null;

/** One provider, and how its wire protocol says what the contract says. */
export interface ProviderUnderTest {
  /** As in a definition, e.g. `huggingface:together`. */
  readonly providerKey: string;
  readonly model: string;
  /** The environment that points it at this server. */
  readonly variables: (serverUrl: string) => Readonly<Record<string, string>>;
  /** What a 401 tells the user to look at. */
  readonly signInWords: string;
  /** How the requests in `requests.ts` look in the body. */
  readonly inBody: {
    readonly system: InBody;
    readonly toolSpec: InBody;
    readonly toolRound: InBody;
    readonly failedTool: InBody;
    readonly image: InBody;
    readonly toolImage: InBody;
    readonly outputSchema: InBody;
    readonly maxTokens: InBody;
    readonly temperature: InBody;
    readonly topP: InBody;
    readonly stop: InBody;
    readonly serviceTier: InBody;
    readonly seed: InBody;
    readonly reasoningEffort: InBody;
    readonly toolChoice: Readonly<Record<"auto" | "required" | "none" | "lookup", InBody>>;
  };
  /** Answers, word for word in the provider's own protocol, that aimock cannot say. */
  readonly answers: {
    readonly usage: { readonly body: unknown; readonly usage: CallUsage };
    readonly length: unknown;
    readonly refusal: unknown;
    readonly empty: unknown;
  };
  /** Further fields of its request, in its own words. */
  readonly furtherFields?: { readonly [field: string]: Json };
  /** What every one of its requests needs, beside the model and the messages. */
  readonly always?: Partial<ChatRequest>;
}
