import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import { failureTests } from "./failures.ts";
import { ProviderOpener } from "./opener.ts";
import { replyTests } from "./replies.ts";
import { requestTests } from "./requests.ts";
import { streamTests } from "./streams.ts";
import type { ProviderUnderTest } from "./under-test.ts";

/** What every provider promises, over real HTTP with its real SDK; gives the opener for tests of its own. */
export function providerContract(tested: ProviderUnderTest): ProviderOpener {
  const opened = new ProviderOpener(tested);
  const name = tested.providerKey;
  beforeAll(() => opened.start());
  beforeEach(() => opened.server.reset());
  afterAll(() => opened.stop());

  describe("requests", () => requestTests(name, opened));
  describe("replies", () => replyTests(name, opened));
  describe("failures", () => failureTests(name, opened));
  describe("streams", () => streamTests(name, opened));
  return opened;
}
