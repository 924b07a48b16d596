import { afterAll, beforeAll, expect, test } from "vitest";
import { patientFetch } from "../../src/providers/patient-fetch.ts";
import { ModelServer } from "../fixtures/models/model-server.ts";

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
