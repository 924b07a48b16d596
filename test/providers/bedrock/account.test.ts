import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { bedrockProvider } from "../../../src/providers/bedrock/bedrock.ts";
import { ModelServer } from "../../fixtures/models/model-server.ts";
import { stubAccount } from "./wire.ts";

const settings = { providerKey: "bedrock", name: null, apiKey: null, baseUrl: null, keyVariable: null };
const request = { model: "amazon.nova-pro-v1:0", messages: [{ role: "user" as const, content: "Hello" }] };

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
beforeEach(() => {
  stubAccount();
  // Nothing of the machine: neither its files nor its metadata service.
  vi.stubEnv("AWS_CONFIG_FILE", "/dev/null");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null");
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  server.reset();
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => server.stop());

test("the SDK takes the endpoint from the environment by itself", async () => {
  vi.stubEnv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url);
  server.mock.on({}, { content: "Hi" });
  expect(await bedrockProvider(settings).generate(request)).toMatchObject({ content: "Hi" });
});

test("an account without credentials is told so, without another try", async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", undefined);
  const failure = bedrockProvider({ ...settings, baseUrl: server.url }).generate(request);
  await expect(failure).rejects.toMatchObject({ code: "provider_error", retryable: false });
  await expect(failure).rejects.toThrow("no AWS credentials");
  expect(server.sent).toEqual([]);
});

test("an account without a region is told which variable to set", async () => {
  vi.stubEnv("AWS_REGION", undefined);
  vi.stubEnv("AWS_DEFAULT_REGION", undefined);
  const failure = bedrockProvider({ ...settings, baseUrl: server.url }).generate(request);
  await expect(failure).rejects.toMatchObject({ code: "provider_error", retryable: false });
  await expect(failure).rejects.toThrow("AWS_REGION");
});

test("a bearer key for Bedrock is taken where there is one", async () => {
  vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "a-bearer-key");
  server.mock.on({}, { content: "Hi" });
  await bedrockProvider({ ...settings, baseUrl: server.url }).generate(request);
  expect(server.last.headers.authorization).toBe("Bearer a-bearer-key");
});
