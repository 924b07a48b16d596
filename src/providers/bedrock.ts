import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
} from "@aws-sdk/client-bedrock-runtime";
import { bedrockFailure } from "./bedrock-failure.ts";
import { bedrockHttp } from "./bedrock-http.ts";
import { readConverse, toBedrockReply } from "./bedrock-reply.ts";
import { toConverseInput } from "./bedrock-request.ts";
import { readConverseStream } from "./bedrock-stream.ts";
import type { ChatProvider } from "./contract.ts";
import type { ProviderSettings } from "./provider-settings.ts";

/** Every model of Amazon Bedrock over Converse: region and credentials are the account's own, as the SDK finds them. */
export function bedrockProvider(settings: ProviderSettings): ChatProvider {
  const client = new BedrockRuntimeClient({
    ...(settings.baseUrl === null ? {} : { endpoint: settings.baseUrl }),
    maxAttempts: 1,
    requestHandler: bedrockHttp(),
  });
  const options = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { abortSignal: signal });
  return {
    async generate(request, { signal } = {}) {
      try {
        const output = await client.send(new ConverseCommand(toConverseInput(request)), options(signal));
        return toBedrockReply(readConverse(output));
      } catch (error) {
        throw bedrockFailure(settings, error) ?? error;
      }
    },
    async *stream(request, { signal } = {}) {
      try {
        const command = new ConverseStreamCommand(toConverseInput(request));
        yield* readConverseStream(await client.send(command, options(signal)));
      } catch (error) {
        throw bedrockFailure(settings, error) ?? error;
      }
    },
  };
}
