import { expect, test } from "vitest";
import { MAX_TEXT_PARTS } from "../../src/domain/json.ts";
import { boundedReply, MAX_BYTES_IN_ALL, MAX_REPLY_BYTES } from "../../src/providers/patient-fetch.ts";
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

test("a reply of more parts than any model writes breaks off long before it is parsed", async () => {
  const most = (parts: number) => new Response(`[${'"",'.repeat(parts - 2)}""]`);
  await expect(boundedReply(most(MAX_TEXT_PARTS)).text()).resolves.toMatch(/^\["",/);
  await expect(boundedReply(most(MAX_TEXT_PARTS + 1)).text()).rejects.toMatchObject({
    ...{ code: "limit", retryable: false },
    message: expect.stringContaining("more than 500000 keys, texts, lists and objects"),
  });
});

/** A reply whose bytes come as they are asked for, and which ends when told to. */
function openReply() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
  });
  const reader = boundedReply(new Response(body)).body?.getReader();
  return {
    async read(bytes: number) {
      controller?.enqueue(new Uint8Array(bytes));
      return (await reader?.read())?.value?.length;
    },
    async end() {
      await reader?.cancel().catch(() => {});
    },
  };
}

test("of many large replies at once the larger ones break off, and a small one goes on", async () => {
  const small = openReply();
  expect(await small.read(1)).toBe(1);
  const large = Array.from({ length: 9 }, openReply);
  const sizes = await Promise.allSettled(large.map((each) => each.read(MAX_REPLY_BYTES)));
  expect(sizes.filter(({ status }) => status === "rejected").length).toBeGreaterThan(0);
  expect(sizes.filter(({ status }) => status === "fulfilled")).toHaveLength(
    MAX_BYTES_IN_ALL / MAX_REPLY_BYTES - 1,
  );
  expect(await small.read(1)).toBe(1);
  await Promise.all([...large, small].map((each) => each.end()));
  const later = openReply();
  expect(await later.read(MAX_REPLY_BYTES)).toBe(MAX_REPLY_BYTES);
  await later.end();
});
