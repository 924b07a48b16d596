import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import {
  modelVariables,
  type OpenedGateway,
  openGateway,
  RecordedRun,
} from "../../fixtures/gateway/open-gateway.ts";
import { startedModelServer } from "../../fixtures/models/started-model-server.ts";

const models = startedModelServer();
let opened: OpenedGateway;
beforeEach(async () => {
  opened = await openGateway(modelVariables(models.server));
  models.server.mock.on({}, { content: "Lima" });
});
afterEach(() => opened.gateway.close());

const BODY = JSON.stringify({ model: "small", messages: [{ role: "user", content: "Capital of Peru?" }] });

/** A call of another run than those that misbehave. */
async function honestCall(): Promise<number> {
  const pass = opened.gateway.issuePass();
  opened.gateway.serve(pass.token, new RecordedRun("openai"));
  const answer = await fetch(`${pass.access.openai.baseURL}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${pass.token}` },
    body: BODY,
  });
  await answer.text();
  return answer.status;
}

/** Connections as a hostile run opens them: past any SDK, each with these first words. */
async function open(count: number, words: string): Promise<Socket[]> {
  const { port } = new URL(opened.access.openai.baseURL);
  const sockets = Array.from({ length: count }, () => connect(Number(port), "127.0.0.1"));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) socket.on("error", () => {});
  await Promise.all(sockets.map((socket) => socket.readyState === "opening" && once(socket, "connect")));
  for (const socket of sockets) socket.write(words);
  return sockets;
}

const head = (length: number): string =>
  `POST /openai/v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${opened.token}\r\n` +
  `content-length: ${length}\r\n\r\n`;

const closed = (socket: Socket): Promise<unknown> => once(socket.resume(), "close");

test("of connections that say nothing the oldest are closed, and a call of another run is answered", async () => {
  const sockets = await open(600, "");
  await Promise.all(sockets.slice(0, 600 - 512).map(closed));
  expect(await honestCall()).toBe(200);
});

test("a run has so many calls at once and no more, and a call of another run is answered", async () => {
  const sockets = await open(256, `${head(BODY.length)}{`);
  const answers = (await open(1, head(BODY.length))).map((late) => once(late, "data"));
  const [answer] = await Promise.all(answers);
  expect(String(answer)).toMatch(
    /^HTTP\/1\.1 429 [\s\S]*x-should-retry: true[\s\S]*too many requests in progress/,
  );
  expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([]);
  expect(await honestCall()).toBe(200);
});

test("a run keeps few connections that it does not use", async () => {
  const sockets = await open(100, "");
  const { promise: allButSixteen, resolve } = Promise.withResolvers<void>();
  let left = 100;
  for (const socket of sockets) socket.once("close", () => --left === 16 && resolve());
  const answers = sockets.map((socket) => once(socket, "data"));
  for (const socket of sockets) socket.write(head(BODY.length) + BODY);
  const words = await Promise.all(answers.map(async (answer) => String(await answer).slice(0, 12)));
  expect(new Set(words)).toEqual(new Set(["HTTP/1.1 200"]));
  await allButSixteen;
  expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(84);
});

test("the requests of one run have 256 MB together", async () => {
  const most = 60 * 1024 * 1024;
  const sockets = await open(5, head(most));
  const part = Buffer.alloc(most - 1, " ");
  for (const socket of sockets.slice(0, 4)) await new Promise((resolve) => socket.write(part, resolve));
  const [answer] = await Promise.all(
    sockets.slice(4).map((last) => {
      last.write(Buffer.alloc(most, " "));
      return once(last, "data");
    }),
  );
  expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
  expect(await honestCall()).toBe(200);
});
