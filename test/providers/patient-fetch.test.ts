import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { builtInProviders } from "../../src/providers/built-in.ts";
import { patientFetch } from "../../src/providers/patient-fetch.ts";
import { systemClock } from "../../src/system/clock.ts";
import { MODELS, variablesFor } from "../fixtures/models/every-provider.ts";
import { ModelServer, type OddAnswer } from "../fixtures/models/model-server.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
afterAll(() => server.stop());

test("how long an answer may take is ours to say, not Node's", async () => {
  server.answerNext({ kind: "silence" });
  const silent = patientFetch(1)(server.url, { method: "POST", body: "{}" });
  await expect(silent).rejects.toMatchObject({ cause: { code: "UND_ERR_HEADERS_TIMEOUT" } });
});

test("an answer that comes in time is the answer", async () => {
  server.answerNext({ kind: "raw", body: { hello: "world" } });
  const answer = await patientFetch()(server.url, { method: "POST", body: "{}" });
  expect(await answer.json()).toEqual({ hello: "world" });
});

const pointTo = (status: number, location: string): OddAnswer => ({
  ...{ kind: "raw", status, headers: { location } },
  body: {},
});

describe("a server that points elsewhere", () => {
  const KEYS = { "x-api-key": "one", "x-goog-api-key": "two", authorization: "Bearer three" };
  let other: ModelServer;
  beforeAll(async () => {
    other = await ModelServer.start();
  });
  beforeEach(() => {
    server.reset();
    other.reset();
  });
  afterAll(() => other.stop());

  test.each([301, 302, 303, 307, 308])("does not get the request there by a %i", async (status) => {
    server.answerNext(pointTo(status, `${other.url}/elsewhere`));
    const sent = patientFetch()(server.url, { method: "POST", headers: KEYS, body: "{}" });
    await expect(sent).rejects.toMatchObject({
      ...{ code: "provider_error", retryable: false },
      message: expect.stringContaining(`redirects to ${other.url}/elsewhere`),
    });
    expect(other.sent).toEqual([]);
  });

  test("is followed to another place of its own", async () => {
    server.answerNext(pointTo(307, "/v2"));
    server.answerNext({ kind: "raw", body: { hello: "world" } });
    const answer = await patientFetch()(`${server.url}/v1`, { method: "POST", headers: KEYS, body: "{}" });
    expect(await answer.json()).toEqual({ hello: "world" });
    expect(server.sent.map(({ method, path }) => [method, path])).toEqual([
      ["POST", "/v1"],
      ["POST", "/v2"],
    ]);
  });

  test("is not followed round and round, nor into another kind of request", async () => {
    for (let round = 0; round < 20; round++) server.answerNext(pointTo(308, "/round"));
    const asked = patientFetch()(`${server.url}/round`, { headers: KEYS });
    await expect(asked).rejects.toMatchObject({ code: "provider_error" });
    const posted = patientFetch()(server.url, { method: "POST", headers: KEYS, body: "{}" });
    server.reset();
    server.answerNext(pointTo(302, "/get"));
    await expect(posted).rejects.toMatchObject({ code: "provider_error" });
  });

  test.each(MODELS.filter(({ providerKey }) => providerKey !== "bedrock"))(
    "gets no key there from $providerKey",
    async ({ providerKey, model }) => {
      server.disturb = () => pointTo(307, `${other.url}/elsewhere`);
      const variables = variablesFor(server);
      const open = builtInProviders({ clock: systemClock, scripts: {}, variables });
      const provider = await open(providerKey);
      const messages = [{ role: "user" as const, content: [{ kind: "text" as const, text: "hi" }] }];
      await expect(provider.generate({ model, messages })).rejects.toMatchObject({
        ...{ code: "provider_error", retryable: false },
        message: expect.stringContaining("redirects to"),
      });
      expect(server.sent).toHaveLength(1);
      expect(other.sent).toEqual([]);
    },
  );
});
