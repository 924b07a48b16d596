import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import { failureTests } from "./provider-failures.ts";
import { ProviderOpener } from "./provider-opener.ts";
import { replyTests } from "./provider-replies.ts";
import { requestTests } from "./provider-requests.ts";
import { streamTests } from "./provider-streams.ts";
import type { ProviderUnderTest } from "./provider-under-test.ts";

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
