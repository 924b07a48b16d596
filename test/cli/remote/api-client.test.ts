import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { ApiClient } from "../../../src/cli/remote/reader.ts";
import { systemClock } from "../../../src/system/clock.ts";

/** A server that answers as it is told, one answer after another, and a client with a clock of its own. */
async function aServerOf(...answers: [status: number, body: unknown, headers?: Record<string, string>][]) {
  const asked: string[] = [];
  const listener: RequestListener = (request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.range ?? ""}`.trim());
    const [status, body, headers = {}] = answers.shift() ?? [500, {}];
    response.writeHead(status, headers).end(isRaw(body) ? body : JSON.stringify(body));
  };
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const waits: number[] = [];
  const clock = { ...systemClock, sleep: async (ms: number) => void waits.push(ms) };
  const client = new ApiClient(`http://127.0.0.1:${port}`, "a-token-of-some-length", clock);
  return { client, asked, waits };
}

const isRaw = (body: unknown): body is string | Buffer => typeof body === "string" || Buffer.isBuffer(body);

const refused = (code: string) => ({ error: { code, message: "no", path: null } });
const Ok = z.object({ ok: z.boolean() });

test("a busy server is asked again, after as long as it says", async () => {
  const busy = refused("evaluation.too_many");
  const { client, asked, waits } = await aServerOf(
    [429, busy, { "retry-after": "7" }],
    [503, busy],
    [200, { ok: true }],
  );
  expect(await client.get("/x", Ok, { a: 1, b: undefined })).toEqual({ ok: true });
  expect(asked).toEqual(["GET /x?a=1", "GET /x?a=1", "GET /x?a=1"]);
  expect(waits).toEqual([7_000, 1_000]);
});

test("what may not happen twice is sent once, unless it has a key", async () => {
  const { client, asked } = await aServerOf(
    [503, refused("cloud.busy")],
    [503, refused("cloud.busy")],
    [200, { ok: true }],
  );
  await expect(client.post("/x", Ok, {})).rejects.toMatchObject({ code: "cloud.busy" });
  expect(await client.post("/x", Ok, {}, "key-1")).toEqual({ ok: true });
  expect(asked).toHaveLength(3);
});

test.each([
  [409, refused("evaluation.running"), "evaluation.running"],
  [401, refused("request.wrong_token"), "remote.token"],
  [404, "<html>", "remote.strange"],
  [302, "", "remote.unreachable"],
])("an answer of %i is told and not repeated for ever", async (status, body, code) => {
  const answers = Array.from({ length: 9 }, (): [number, unknown, Record<string, string>] => [
    status,
    body,
    { location: "/y" },
  ]);
  const { client, asked } = await aServerOf(...answers);
  await expect(client.get("/x", Ok)).rejects.toMatchObject({ code });
  // The token follows no redirect.
  expect(asked.every((line) => line === "GET /x")).toBe(true);
});

test.each(["a-token-of-some-length", null])(
  "nobody there is told with the address, token %s",
  async (token) => {
    const client = new ApiClient("http://127.0.0.1:9", token, { ...systemClock, sleep: async () => {} });
    await expect(client.get("/x", Ok)).rejects.toThrow("http://127.0.0.1:9 cannot be reached");
  },
);

test("a large answer is put together from its pieces, also in the middle of a letter", async () => {
  const bytes = Buffer.from(JSON.stringify("grün"));
  const cut = bytes.indexOf(0xbc);
  const ranges = [`bytes 0-${cut - 1}/${bytes.length}`, `bytes ${cut}-${bytes.length - 1}/${bytes.length}`];
  const { client, asked } = await aServerOf(
    [206, bytes.subarray(0, cut), { "content-range": ranges[0] ?? "" }],
    [206, bytes.subarray(cut), { "content-range": ranges[1] ?? "" }],
  );
  expect(await client.getLarge("/x", z.string())).toBe("grün");
  expect(asked).toEqual(["GET /x bytes=0-", `GET /x bytes=${cut}-`]);
});
