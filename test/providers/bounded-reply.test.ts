import { expect, test } from "vitest";
import { boundedReply, MAX_REPLY_BYTES } from "../../src/providers/patient-fetch.ts";
import { nestedJson } from "../fixtures/records/nested-json.ts";

const MB = 1024 * 1024;
const EVENTS = { headers: { "content-type": "text/event-stream" } };

test("a reply without an end breaks off where it is larger than any reply", async () => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += MB;
      controller.enqueue(Buffer.alloc(MB, " "));
    },
  });
  await expect(boundedReply(new Response(body)).text()).rejects.toMatchObject({
    code: "limit",
    retryable: false,
  });
  expect(sent).toBeLessThan(MAX_REPLY_BYTES + 8 * MB);
});

test.each<[what: string, body: string, init: ResponseInit]>([
  ["JSON of 192 levels", nestedJson(192), {}],
  ["brackets within texts", JSON.stringify(["[".repeat(300), `\\"${"{".repeat(300)}`]), {}],
  ["lines of JSON", `${nestedJson(100)}\n`.repeat(10), {}],
  ["many events", `data: ${nestedJson(100)}\n\n`.repeat(10), EVENTS],
  ["comments between events", ': ["\n\n'.repeat(300), EVENTS],
  ["nothing", "", {}],
])("%s passes as it is", async (_what, body, init) => {
  const answer = boundedReply(new Response(body, { status: 201, ...init }));
  expect([answer.status, await answer.text()]).toEqual([201, body]);
});

test.each<[what: string, body: string, init: ResponseInit]>([
  ["JSON of 193 levels", nestedJson(193), {}],
  ["an event of 193 levels", `data: [1]\n\ndata: ${nestedJson(193)}\n\n`, EVENTS],
  ["an event of 193 levels in as many lines", `${"data: [\r\n".repeat(193)}`, EVENTS],
])("%s does not", async (_what, body, init) => {
  await expect(boundedReply(new Response(body, init)).text()).rejects.toMatchObject({
    code: "limit",
    message: expect.stringContaining("deeper than 192 levels"),
  });
});
