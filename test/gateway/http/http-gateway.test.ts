import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAX_TRIES } from "../../../src/gateway/gateway.ts";
import { ABSURD } from "../../contract/provider/replies.ts";
import {
  KEYS,
  modelVariables,
  type OpenedGateway,
  openGateway,
} from "../../fixtures/gateway/open-gateway.ts";
import { startedModelServer } from "../../fixtures/models/started-model-server.ts";
import { nestedJson } from "../../fixtures/records/nested-json.ts";

const models = startedModelServer();
let opened: OpenedGateway;
beforeEach(async () => {
  opened = await openGateway(modelVariables(models.server));
});
afterEach(() => opened.gateway.close());

const usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };
const counted = { inputTokens: 12, outputTokens: 3, cachedInputTokens: 0, reasoningTokens: 0 };
const asked = { model: "small", messages: [{ role: "user", content: "Capital of Peru?" }] };

interface Posted {
  readonly base?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** One call as an agent without any SDK makes it. */
function post(
  path: string,
  body: unknown = asked,
  { base, headers, signal }: Posted = {},
): Promise<Response> {
  return fetch(`${base ?? opened.access.openai.baseURL}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${opened.token}`, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

const errorOf = async (answer: Response): Promise<string> =>
  ((await answer.json()) as { error: { message: string } }).error.message;

const refuse = (status: number, headers: Record<string, string> = {}) =>
  models.server.answerNext({ kind: "raw", status, headers, body: { error: { message: "not now" } } });

const delta = (content: string, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: { content }, finish_reason }],
});

async function streamed(): Promise<AsyncIterable<string>> {
  const { body } = await post("/chat/completions", { ...asked, stream: true });
  return (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream());
}

function silence(): { asked: Promise<void>; dropped: Promise<void> } {
  const [asked, dropped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  models.server.answerNext({ kind: "silence", onAsked: asked.resolve, onDropped: dropped.resolve });
  return { asked: asked.promise, dropped: dropped.promise };
}

describe("a call that is passed on", () => {
  test("comes back as the server said it, and is told to the run", async () => {
    models.server.mock.on({}, { content: "Lima", usage });
    const answer = await post("/chat/completions");
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "Lima" } }], usage });
    expect(opened.run.admitted).toBe(1);
    expect(opened.run.calls).toMatchObject([
      {
        model: { providerKey: "openai", model: "small" },
        request: asked,
        reply: { content: "Lima", toolCalls: [], finishReason: "stop" },
        usage: counted,
        firstTokenMs: null,
        retries: 0,
        failed: null,
      },
    ]);
  });

  test.each([
    ["openai", "/chat/completions", { authorization: `Bearer ${KEYS.OPENAI_API_KEY}` }],
    ["anthropic", "/messages", { "x-api-key": KEYS.ANTHROPIC_API_KEY }],
    ["anthropic", "/v1/messages", { "x-api-key": KEYS.ANTHROPIC_API_KEY }],
    ["gemini", "/v1beta/models/small:generateContent", { "x-goog-api-key": KEYS.GEMINI_API_KEY }],
  ] as const)("to %s%s has the key in place of the token", async (family, path, key) => {
    models.server.mock.on({}, { content: "Lima", usage });
    const body =
      family === "gemini" ? { contents: [{ role: "user", parts: [{ text: "Capital?" }] }] } : asked;
    const answer = await post(path, { ...body, max_tokens: 9 }, { base: opened.access[family].baseURL });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(models.server.last.headers).toMatchObject(key);
    expect(JSON.stringify(models.server.last)).not.toContain(opened.token);
    expect(text).not.toContain("secret");
    expect(opened.run.calls).toMatchObject([
      { model: { providerKey: family, model: "small" }, usage: counted },
    ]);
  });

  test.each(["x-api-key", "x-goog-api-key"])("may bring its token as %s", async (name) => {
    models.server.mock.on({}, { content: "Lima", usage });
    expect(
      (await post("/chat/completions", asked, { headers: { authorization: "", [name]: opened.token } }))
        .status,
    ).toBe(200);
  });

  test("may bring its token in the address, which the server does not see", async () => {
    models.server.mock.on({}, { content: "Lima", usage });
    const answer = await post(`/chat/completions?key=${opened.token}&a=1`, asked, {
      headers: { authorization: "" },
    });
    expect([answer.status, models.server.last.path]).toEqual([200, "/v1/chat/completions?a=1"]);
  });

  test("goes to the run's own server where that speaks the same API", async () => {
    await opened.gateway.close();
    const variables = { LOCAL_BASE_URL: `${models.server.url}/v1`, LOCAL_API_KEY: "local-secret" };
    opened = await openGateway(variables, "openai-compatible:local");
    models.server.mock.on({}, { content: "Lima", usage });
    expect((await post("/chat/completions")).status).toBe(200);
    expect(models.server.last.headers.authorization).toBe("Bearer local-secret");
    expect(opened.run.calls[0]?.model.providerKey).toBe("openai-compatible:local");
  });

  test.each(ABSURD)(
    "that says it used %d tokens comes back as it is, and what it used is unknown",
    async (tokens) => {
      const said = { prompt_tokens: tokens, completion_tokens: 3, total_tokens: 15 };
      const body = { choices: [{ message: { content: "Lima" }, finish_reason: "stop" }], usage: said };
      models.server.answerNext({ kind: "raw", body });
      expect(await (await post("/chat/completions")).json()).toEqual(body);
      models.server.answerNext({ kind: "raw", body: { unlike: "any reply", usage: said } });
      await (await post("/chat/completions")).text();
      expect(opened.run.calls.map(({ usage, failed }) => ({ usage, failed }))).toEqual(
        Array(2).fill({ usage: null, failed: null }),
      );
    },
  );

  test("that calls no model is no turn of the run", async () => {
    models.server.answerNext({ kind: "raw", body: { object: "list", data: [] } });
    const answer = await fetch(`${opened.access.openai.baseURL}/models`, {
      headers: { authorization: `Bearer ${opened.token}` },
    });
    expect([answer.status, opened.run.admitted, opened.run.calls]).toEqual([200, 0, []]);
  });

  test("of an unknown shape is passed on, with what it says it used", async () => {
    models.server.answerNext({ kind: "raw", body: { data: [{ embedding: [1] }], usage } });
    expect((await post("/embeddings", { model: "small", input: "Peru" })).status).toBe(200);
    expect(opened.run.calls).toMatchObject([{ usage: counted, reply: { data: [{ embedding: [1] }] } }]);
  });
});

describe("a stream", () => {
  test("reaches the agent piece by piece, as it comes", async () => {
    const hasRead = Promise.withResolvers<void>();
    models.server.answerNext({
      kind: "stream",
      events: (async function* () {
        yield delta("Lima ");
        await hasRead.promise;
        yield delta("it is", "stop");
        yield { choices: [], usage };
        yield "[DONE]";
      })(),
    });
    let text = "";
    for await (const piece of await streamed()) {
      text += piece;
      if (text.includes("Lima ")) hasRead.resolve();
    }
    expect(text).toMatch(/Lima .*it is.*data: \[DONE\]\s*$/s);
    expect(opened.run.calls).toMatchObject([{ reply: { content: "Lima it is" }, usage: counted }]);
    expect(opened.run.calls[0]?.firstTokenMs).toEqual(expect.any(Number));
  });

  test("is asked what it used, and an agent that did not ask does not hear it", async () => {
    models.server.mock.on({}, { content: "Lima", usage });
    const text = await (await post("/chat/completions", { ...asked, stream: true })).text();
    expect(models.server.last.body.stream_options).toEqual({ include_usage: true });
    expect(text).not.toContain("prompt_tokens");
    const said = await (
      await post("/chat/completions", { ...asked, stream: true, stream_options: { include_usage: true } })
    ).text();
    expect(said).toContain("prompt_tokens");
    expect(opened.run.calls.map(({ usage: used }) => used)).toEqual([counted, counted]);
  });

  test("is counted before the agent hears its end", async () => {
    models.server.mock.on({}, { content: "Lima", usage });
    const answer = await post("/chat/completions", { ...asked, stream: true });
    for await (const piece of answer.body ?? []) {
      if (new TextDecoder().decode(piece).includes("[DONE]")) expect(opened.run.calls).toHaveLength(1);
    }
    expect.assertions(1);
  });

  test("that breaks off is not tried again, because the agent has begun to read", async () => {
    const hasRead = Promise.withResolvers<void>();
    models.server.answerNext({
      kind: "stream",
      events: (async function* () {
        yield delta("Lima ");
        await hasRead.promise;
        throw new Error("the line is cut");
      })(),
    });
    const read = async () => {
      for await (const _piece of await streamed()) hasRead.resolve();
    };
    await expect(read()).rejects.toThrow();
    expect(models.server.sent).toHaveLength(1);
    const message = expect.stringContaining("after the reply had begun");
    expect(opened.run.calls).toMatchObject([
      { usage: null, retries: 0, failed: { fault: "provider", error: { message, retryable: false } } },
    ]);
  });

  test("that breaks off before its first piece is tried again", async () => {
    models.server.mock.on({}, { content: "Lima", usage });
    // biome-ignore lint/correctness/useYield: it breaks before it says anything.
    const events = (async function* () {
      throw new Error("the line is cut");
    })();
    models.server.answerNext({ kind: "stream", events });
    expect((await Array.fromAsync(await streamed())).join("")).toContain("[DONE]");
    expect(opened.run.calls).toMatchObject([{ retries: 1, failed: null, reply: { content: "Lima" } }]);
  });
});

describe("what is nested too deep", () => {
  const deep = nestedJson(3_000);
  const limit = { fault: "provider", error: { code: "limit", retryable: false } };

  test("is refused where the agent asks for it, and the server does not hear of it", async () => {
    const answer = await post("/chat/completions", `{"model":"small","messages":${deep}}`);
    expect([answer.status, await errorOf(answer)]).toEqual([400, expect.stringContaining("deeper than 192")]);
    expect([models.server.sent, opened.run.calls]).toEqual([[], []]);
  });

  test("is past the limit where the server answers with it, and not tried again", async () => {
    models.server.answerNext({ kind: "raw", body: `{"choices":${deep}}` });
    expect((await post("/chat/completions")).status).toBe(502);
    expect(opened.run.calls).toMatchObject([{ usage: null, reply: null, failed: limit }]);
  });

  test("is past the limit where an event of a stream holds it", async () => {
    const events = (async function* () {
      yield delta("Lima");
      yield `{"choices":${deep}}`;
    })();
    models.server.answerNext({ kind: "stream", events });
    // How much of it the agent reads before the end is up to the network.
    await post("/chat/completions", { ...asked, stream: true })
      .then(
        (answer) => answer.text(),
        () => {},
      )
      .catch(() => {});
    expect(opened.run.calls).toMatchObject([{ usage: null, failed: limit }]);
    expect(models.server.sent).toHaveLength(1);
  });
});

describe("an error within a stream", () => {
  const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  const start = { type: "message_start", message: { usage: { input_tokens: 9, output_tokens: 1 } } };
  const ask = () =>
    post("/messages", { ...asked, max_tokens: 9, stream: true }, { base: opened.access.anthropic.baseURL });
  const say = (...events: unknown[]) =>
    models.server.answerNext({
      kind: "stream",
      events: (async function* () {
        yield* events;
      })(),
    });

  test("is tried again while the agent has heard nothing", async () => {
    models.server.mock.on({}, { content: "Lima", usage: { input_tokens: 12, output_tokens: 3 } });
    say(overloaded);
    expect(await (await ask()).text()).toContain("message_stop");
    expect(opened.run.calls).toMatchObject([{ retries: 1, failed: null, usage: counted }]);
  });

  test("is told to the agent once that has begun to read, and counts what was used", async () => {
    say(start, overloaded);
    expect(await (await ask()).text()).toContain("overloaded_error");
    const message = "anthropic answered 529: Overloaded, after the reply had begun";
    expect(opened.run.calls).toMatchObject([
      { retries: 0, usage: { inputTokens: 9 }, failed: { fault: "provider", error: { message } } },
    ]);
  });
});

describe("a call that fails", () => {
  test("is tried again by the gateway, and the run hears of the wait", async () => {
    models.server.mock.on({}, { content: "Lima", usage });
    refuse(429, { "retry-after": "7" });
    refuse(503);
    expect((await post("/chat/completions")).status).toBe(200);
    expect(opened.run.calls).toMatchObject([{ retries: 2, failed: null, usage: counted }]);
    expect(opened.sleeps).toEqual([7_000, 1_000]);
    expect(opened.run.waits).toEqual([true, false, true, false]);
  });

  test("is tried again where half of the answer is missing", async () => {
    models.server.mock.on({}, { content: "Lima", usage });
    models.server.answerNext({ kind: "half", body: { choices: [] } });
    expect((await post("/chat/completions")).status).toBe(200);
    expect(opened.run.calls).toMatchObject([{ retries: 1, failed: null }]);
  });

  test("for good comes back as the server said it, with a word not to try again", async () => {
    for (let tries = 0; tries < MAX_TRIES; tries++) refuse(429);
    const answer = await post("/chat/completions");
    expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([429, "false"]);
    expect(await errorOf(answer)).toBe("not now");
    expect(models.server.sent).toHaveLength(MAX_TRIES);
    expect(opened.run.calls).toMatchObject([
      {
        reply: null,
        usage: null,
        retries: MAX_TRIES - 1,
        failed: { fault: "provider", error: { code: "rate_limited" } },
      },
    ]);
  });

  test("for a wrong key is sent once, and the run is told which variable holds it", async () => {
    refuse(401);
    expect((await post("/chat/completions")).status).toBe(401);
    expect(models.server.sent).toHaveLength(1);
    expect(opened.run.calls[0]?.failed?.error.message).toContain("OPENAI_API_KEY");
  });

  test("for what the agent wrote is the agent's fault", async () => {
    refuse(400);
    expect((await post("/chat/completions")).status).toBe(400);
    expect(opened.run.calls[0]?.failed?.fault).toBe("agent");
  });

  test("does not give the agent the key that a server repeats", async () => {
    const body = { error: { message: `wrong key ${KEYS.OPENAI_API_KEY}` } };
    models.server.answerNext({ kind: "raw", status: 401, headers: { "x-key": KEYS.OPENAI_API_KEY }, body });
    const answer = await post("/chat/completions");
    expect(await errorOf(answer)).toBe("wrong key [redacted OPENAI_API_KEY]");
    expect(answer.headers.get("x-key")).toBe("[redacted OPENAI_API_KEY]");
  });

  test("for a provider without a key names the variable to set", async () => {
    await opened.gateway.close();
    opened = await openGateway({});
    const answer = await post("/chat/completions");
    expect([answer.status, await errorOf(answer)]).toEqual([
      502,
      expect.stringContaining("set OPENAI_API_KEY"),
    ]);
    expect(opened.run.calls).toMatchObject([{ failed: { fault: "provider" } }]);
  });
});

describe("a call that is dropped", () => {
  test("by the agent is dropped at the server too, and is no fault of the provider's", async () => {
    const drop = new AbortController();
    const { asked: wasAsked, dropped } = silence();
    const answer = post("/chat/completions", asked, { signal: drop.signal });
    await wasAsked;
    drop.abort();
    await expect(answer).rejects.toThrow();
    await dropped;
    await opened.gateway.release(opened.token);
    expect(opened.run.calls).toMatchObject([{ failed: { fault: "agent" }, usage: null }]);
  });

  test("because the run has ended is told to the run before it is released", async () => {
    const { asked: wasAsked } = silence();
    const answer = post("/chat/completions");
    await wasAsked;
    await opened.gateway.release(opened.token);
    expect(opened.run.calls).toMatchObject([{ failed: { fault: "agent" } }]);
    expect((await answer).status).toBe(403);
  });

  test("in the middle of its request keeps nobody waiting", async () => {
    const { hostname, port } = new URL(opened.access.openai.baseURL);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.write(
      `POST /openai/v1/chat/completions HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${opened.token}\r\ncontent-length: 9\r\n\r\n{`,
    );
    await once(socket, "connect");
    // A second call proves that the first has been taken in.
    models.server.mock.on({}, { content: "Lima", usage });
    await (await post("/chat/completions")).text();
    await opened.gateway.release(opened.token);
    await once(socket, "close");
    expect(opened.run.calls).toHaveLength(1);
  });
});

describe("what is refused", () => {
  test.each([
    ["no token", ""],
    ["a wrong token", `Bearer ${"0".repeat(64)}`],
  ])("%s", async (_what, authorization) => {
    const answer = await post("/chat/completions", asked, { headers: { authorization } });
    expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([401, "false"]);
    expect(await errorOf(answer)).toMatch(/no run in progress.*OPENAI_API_KEY.*context\.gateway/);
    expect([models.server.sent, opened.run.calls]).toEqual([[], []]);
  });

  test("the token of a run that has ended, until it serves another", async () => {
    await opened.gateway.release(opened.token);
    expect((await post("/chat/completions")).status).toBe(401);
    opened.gateway.serve(opened.token, opened.run);
    models.server.mock.on({}, { content: "Lima", usage });
    expect((await post("/chat/completions")).status).toBe(200);
  });

  test.each([
    ["/files", "/openai/v1/files"],
    ["/../../anthropic/v1/organizations", "/anthropic/v1/organizations"],
  ])("what is no model call: %s", async (path, named) => {
    const answer = await post(path);
    expect([answer.status, await errorOf(answer)]).toEqual([404, expect.stringContaining(`POST ${named};`)]);
    expect(models.server.sent).toEqual([]);
  });

  test("a body that is no JSON", async () => {
    const answer = await post("/chat/completions", "{");
    expect([answer.status, await errorOf(answer)]).toEqual([400, expect.stringContaining("not JSON")]);
  });

  test("a body that no model takes", async () => {
    const answer = await post("/chat/completions", "x".repeat(64 * 1024 * 1024 + 1));
    expect([answer.status, await errorOf(answer)]).toEqual([
      413,
      expect.stringContaining("larger than 64 MB"),
    ]);
    expect(models.server.sent).toEqual([]);
  });

  test("a call over the run's limits, in the run's own words", async () => {
    opened.run.refusal = "asked for model call 3, more than limits.maxTurns (2)";
    const answer = await post("/chat/completions");
    expect([answer.status, await errorOf(answer)]).toEqual([403, opened.run.refusal]);
    expect([models.server.sent, opened.run.calls]).toEqual([[], []]);
  });
});
