import { readdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { huggingface } from "../../src/index.ts";
import { aProject } from "../fixtures/files/a-project.ts";
import { nestedJson } from "../fixtures/records/nested-json.ts";

type Answer = (url: URL, request: IncomingMessage, response: ServerResponse) => void;

/** A server on loopback that answers like the rows API; `asked` has what it was asked for. */
async function aRowsServer(answer: Answer) {
  const asked: URL[] = [];
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://rows");
    asked.push(url);
    answer(url, request, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return { asked, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const rows =
  (total: number): Answer =>
  ({ searchParams }, _request, response) => {
    const offset = Number(searchParams.get("offset"));
    const count = Math.max(0, Math.min(Number(searchParams.get("length")), total - offset));
    const page = Array.from({ length: count }, (_, at) => ({
      row_idx: offset + at,
      row: { question: `question ${offset + at}`, answer: offset + at },
      truncated_cells: [],
    }));
    response.end(JSON.stringify({ features: [], rows: page, num_rows_total: total, partial: false }));
  };

const MAP = { problem: "question", expected: "answer" };

test("all pages of a split are read, in order", async () => {
  const { asked, baseUrl } = await aRowsServer(rows(230));
  const options = { config: "main", split: "train", map: MAP, cache: false, baseUrl } as const;
  const items = await Array.fromAsync(huggingface("openai/gsm8k", options));
  expect(items).toHaveLength(230);
  expect(items[229]).toEqual({ problem: "question 229", expected: 229 });
  expect(asked.map(({ pathname, search }) => pathname + search)).toEqual(
    [0, 100, 200].map(
      (offset) => `/rows?dataset=openai%2Fgsm8k&config=main&split=train&offset=${offset}&length=100`,
    ),
  );
});

test("what was read is kept, until it is to be read anew", async () => {
  const { asked, baseUrl } = await aRowsServer(rows(150));
  const cache = join(aProject(), "kept");
  const read = (more = {}) => Array.fromAsync(huggingface("a/b", { map: MAP, cache, baseUrl, ...more }));
  const first = await read();
  expect([await read(), asked.length]).toEqual([first, 2]);
  await read({ refresh: true });
  expect(asked).toHaveLength(4);
  for (const file of readdirSync(cache)) writeFileSync(join(cache, file), "half a pa");
  expect([await read(), asked.length]).toEqual([first, 6]);
});

test("another split is another page", async () => {
  const { asked, baseUrl } = await aRowsServer(rows(1));
  const cache = aProject();
  for (const split of ["test", "train"]) {
    await Array.fromAsync(huggingface("a/b", { split, map: MAP, cache, baseUrl }));
  }
  expect(asked).toHaveLength(2);
});

test("only as many rows as are wanted are read", async () => {
  const { asked, baseUrl } = await aRowsServer(rows(1_000));
  const items = await Array.fromAsync(huggingface("a/b", { rows: 120, map: MAP, cache: false, baseUrl }));
  expect([items.length, asked.length]).toEqual([120, 2]);
});

test("a cache that cannot be written costs nothing but time", async () => {
  const { baseUrl } = await aRowsServer(rows(1));
  const cache = join(aProject({ file: "" }), "file", "inside");
  expect(await Array.fromAsync(huggingface("a/b", { map: MAP, cache, baseUrl }))).toHaveLength(1);
});

test("a server that is busy is asked again after the time that it names", async () => {
  const answers: Answer[] = [
    (_url, _request, response) => response.writeHead(429, { "retry-after": "0" }).end("busy"),
    (_url, _request, response) => response.writeHead(503, { "retry-after": "0" }).end("busy"),
  ];
  const { asked, baseUrl } = await aRowsServer((...given) => (answers.shift() ?? rows(1))(...given));
  expect(await Array.fromAsync(huggingface("a/b", { map: MAP, cache: false, baseUrl }))).toHaveLength(1);
  expect(asked).toHaveLength(3);
});

test.each<[what: string, answer: Answer, message: RegExp]>([
  [
    "a refusal",
    (_url, _request, response) => response.writeHead(404).end('{"error":"no such split"}'),
    /answers 404: .*no such split.*look at the dataset's name, `config` and `split`/,
  ],
  [
    "a dataset that is not public",
    (_url, { headers }, response) => response.writeHead(401).end(headers.authorization),
    /answers 401: Bearer secret; if the dataset is not public, give `token`, and name its variable/,
  ],
  [
    "something else",
    (_url, _request, response) => response.end("{}"),
    /does not answer with rows of a dataset/,
  ],
  [
    "a cell that was cut",
    (_url, _request, response) => {
      const row = { row_idx: 0, row: { question: "lo", answer: 1 }, truncated_cells: ["question"] };
      response.end(JSON.stringify({ rows: [row], num_rows_total: 1 }));
    },
    /row 0 of a\/b is too large for the rows API, which cut question/,
  ],
  [
    "a row that is nested too deep",
    (_url, _request, response) => {
      const row = `{"row_idx":7,"row":{"question":${nestedJson(3_000)},"answer":1}}`;
      response.end(`{"rows":[${row}],"num_rows_total":1}`);
    },
    /row 7 of a\/b is nested deeper than 512 levels/,
  ],
])("%s is told plainly", async (_what, answer, message) => {
  const { baseUrl } = await aRowsServer(answer);
  const options = { map: MAP, cache: false, token: "secret", baseUrl } as const;
  await expect(Array.fromAsync(huggingface("a/b", options))).rejects.toThrow(message);
});

test("a server that cannot be reached is named", async () => {
  const rows = huggingface("a/b", { cache: false, baseUrl: "http://127.0.0.1:1" });
  await expect(Array.fromAsync(rows)).rejects.toThrow("http://127.0.0.1:1 cannot be reached");
});

test("another commit than the one that is asked for is refused, and one that was kept stays", async () => {
  let newest = "a".repeat(40);
  const { baseUrl } = await aRowsServer((url, request, response) => {
    response.setHeader("X-Revision", newest);
    rows(2)(url, request, response);
  });
  const cache = join(aProject(), "kept");
  const read = (revision: string) =>
    Array.fromAsync(huggingface("a/b", { map: MAP, cache, baseUrl, revision }));
  const first = "a".repeat(40);
  expect(await read(first)).toHaveLength(2);
  newest = "b".repeat(40);
  expect(await read(first)).toHaveLength(2);
  await expect(read("c".repeat(40))).rejects.toThrow(
    `the dataset is at commit ${newest}, and \`revision\` asks for ${"c".repeat(40)}`,
  );
});
