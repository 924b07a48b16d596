import { builtInProviders } from "../../../src/providers/built-in.ts";
import type { ChatProvider, ChatRequest, Message } from "../../../src/providers/provider.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { ModelServer } from "../../fixtures/models/model-server.ts";
import type { ProviderUnderTest } from "./under-test.ts";

/** One provider and its model server, for the tests of one file. */
export class ProviderOpener {
  readonly tested: ProviderUnderTest;
  #server: ModelServer | null = null;
  #provider: ChatProvider | null = null;

  constructor(tested: ProviderUnderTest) {
    this.tested = tested;
  }

  async start(): Promise<void> {
    this.#server = await ModelServer.start();
    const variables = this.tested.variables(this.#server.url);
    const open = builtInProviders({ clock: systemClock, scripts: {}, variables });
    this.#provider = await open(this.tested.providerKey);
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
  }

  get server(): ModelServer {
    if (this.#server === null) throw new Error("the model server is not started");
    return this.#server;
  }

  get provider(): ChatProvider {
    if (this.#provider === null) throw new Error("the provider is not open");
    return this.#provider;
  }

  request(given: Partial<ChatRequest> & { messages?: Message[] } = {}): ChatRequest {
    const messages: Message[] = [{ role: "user", content: "Capital of France?" }];
    return { model: this.tested.model, messages, ...this.tested.always, ...given };
  }

  /** Sends a request that gets some text back, and gives the body that went over the wire. */
  async bodyOf(given: Partial<ChatRequest>): Promise<object> {
    this.server.mock.on({}, { content: "Paris" });
    await this.provider.generate(this.request(given));
    return this.server.last.body;
  }
}
