import type * as z from "zod";
import type { Clock } from "../domain/clock.ts";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import type { ChatProvider, ProviderFactory } from "./contract.ts";
import { type Scripts, scriptedProvider } from "./scripted.ts";

export interface FactoryOptions {
  readonly clock: Clock;
  readonly scripts: z.output<typeof Scripts>;
}

const MAKERS = {
  scripted: ({ scripts, clock }: FactoryOptions): ChatProvider => scriptedProvider(scripts, clock),
} satisfies Record<string, (options: FactoryOptions) => ChatProvider>;

export const KNOWN_PROVIDERS: readonly string[] = Object.keys(MAKERS);

export const isKnownProvider = (key: string): key is keyof typeof MAKERS => Object.hasOwn(MAKERS, key);

/** The providers that come with the evaluator, by key. */
export const defaultProviderFactory =
  (options: FactoryOptions): ProviderFactory =>
  (key) => {
    if (isKnownProvider(key)) return MAKERS[key](options);
    throw new EvaluatorError(
      "provider.unknown",
      `unknown provider "${key}"; known are ${KNOWN_PROVIDERS.join(", ")}`,
    );
  };
