import { tmpdir } from "node:os";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { DeployedRunner } from "../../src/deploy/runner.ts";
import type { EvaluationRecord } from "../../src/domain/evaluation.ts";
import { Limits } from "../../src/domain/limits.ts";
import { cloudEngine } from "../../src/engine/cloud/cloud-engine.ts";
import type { StartRequest } from "../../src/engine/engine.ts";
import { ProcessIsolation } from "../../src/isolation/parent/process-isolation.ts";
import { loadDefinition } from "../../src/local/load-definition.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { noExecutions } from "../fixtures/cloud/idle-executions.ts";
import { someMeans } from "../fixtures/cloud/runner-means.ts";
import { KEYS, modelVariables } from "../fixtures/gateway/open-gateway.ts";
import { ModelServer } from "../fixtures/models/model-server.ts";
import { isAlive } from "../fixtures/processes/process-tree.ts";
import { evalFile } from "../fixtures/run/run-file.ts";

const TOKEN = "amber-badger-0815-lantern";

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => server.stop());

test("an agent with an SDK of its own calls models with the runner's key, which is in no variable of this process", async () => {
  server.mock.on(
    {},
    { content: "Lima", usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } },
  );
  const { runFirst, store } = await deployed("own-sdk", modelVariables(server));
  const { entry } = await runFirst({});
  expect(entry).toMatchObject({ correct: true, failure: null, turns: 1, usage: { inputTokens: 10 } });
  expect(server.last.headers.authorization).toBe(`Bearer ${KEYS.OPENAI_API_KEY}`);
  // Its call took a turn of the limit that all runners share.
  expect(await store.fleetLimits.find("openai")).toMatchObject({ calls: 1 });
});

test.each(["tells", "throws", "judged", "misjudged", "refused"])(
  "nothing that the runner keeps of the run %j holds a secret",
  async (kind) => {
    vi.stubEnv("SNAPSHOTS", tmpdir());
    server.reset();
    server.disturb = ({ headers, body }) =>
      JSON.stringify(body).includes("refuse me")
        ? { kind: "raw", status: 400, body: { error: { message: `bad key: ${headers.authorization}` } } }
        : undefined;
    server.mock.on({}, { content: `Your key is ${KEYS.OPENAI_API_KEY}` });
    const { runFirst } = await deployed("secrets", { ...modelVariables(server), SERVICE_TOKEN: TOKEN });
    const text = [...KEYS.OPENAI_API_KEY].reverse().join("");
    const { entry, body } = await runFirst({ problems: [{ id: kind, problem: { kind, text } }] });
    const kept = JSON.stringify([entry, body]);
    expect(kept).toContain("[redacted OPENAI_API_KEY]");
    for (const secret of [KEYS.OPENAI_API_KEY, TOKEN]) expect(kept).not.toContain(secret);
    if (kind === "tells" || kind === "throws") expect(kept).toContain("[redacted SERVICE_TOKEN]");
  },
);

test("a key in a posted problem reaches neither the agent nor anything that its runner keeps", async () => {
  server.reset();
  server.mock.on({}, { content: "I see" });
  const { runFirst } = await deployed("secrets", { ...modelVariables(server), SERVICE_TOKEN: TOKEN });
  // No shape tells that it is one.
  const text = `The key is ${KEYS.GEMINI_API_KEY}`;
  const { entry, body } = await runFirst({ problems: [{ id: "finds", problem: { kind: "finds", text } }] });
  expect(JSON.stringify(server.last.body)).toContain("The key is [redacted GEMINI_API_KEY]");
  expect(entry.result).toBe("The key is [redacted GEMINI_API_KEY]");
  // The problem itself is kept as it was posted.
  const { problem: _, ...kept } = entry;
  expect(JSON.stringify([kept, body, server.last.body])).not.toContain(KEYS.GEMINI_API_KEY);
});

test("a definition's own providers work in its run's process, around those of the runner", async () => {
  const { runFirst } = await deployed("own-providers", {});
  const { entry } = await runFirst({});
  expect(entry).toMatchObject({
    result: "HELLO",
    correct: true,
    usage: { inputTokens: 20, outputTokens: 5 },
  });
});

test("a run gets the memory that its evaluation was started with, not what its definition says", async () => {
  const { runFirst } = await deployed("own-sdk", {});
  const { entry } = await runFirst({ problems: ["variables"], limits: { memoryMb: 2_000 } });
  expect(entry.result).toMatchObject({ flags: expect.arrayContaining(["--max-old-space-size=2000"]) });
});

test("a stored result is checked again by the runner, and no agent runs", async () => {
  server.reset();
  server.mock.on({}, { content: "Lima" });
  const { runFirst, checkFirst } = await deployed("own-sdk", modelVariables(server));
  const { entry: before, body } = await runFirst({});
  const calls = server.sent.length;
  const { entry, body: after } = await checkFirst(before.evaluationId);
  const { correct, reason, usage, startedAt, pid } = before;
  expect(entry).toMatchObject({ round: 2, recheckOf: 1, correct, reason, usage, startedAt, pid });
  expect([correct, after, server.sent.length]).toEqual([true, body, calls]);
});

test("a definition that could not be opened is opened again for the next run", async () => {
  const { runFirst, definitions } = await deployed("own-sdk", {});
  vi.spyOn(definitions, "describe").mockRejectedValueOnce(new Error("too many open files"));
  const request = { problems: ["variables"] };
  await expect(runFirst(request)).rejects.toThrow("too many open files");
  expect((await runFirst(request)).entry.failure).toBeNull();
});

test("a process that was frozen while it booted is no fault of the next run", async () => {
  const { runner, runFirst, limits } = await deployed("own-sdk", {});
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  await runner.warmUp();
  const { isolation } = await runner.open("own-sdk", limits);
  const [spare = 0] = isolation instanceof ProcessIsolation ? isolation.pids() : [];
  expect(spare).toBeGreaterThan(0);
  process.kill(spare, "SIGSTOP");
  vi.advanceTimersByTime(limits.timeoutSeconds * 1_000);
  vi.useRealTimers();
  const { entry } = await runFirst({ problems: ["variables"] });
  expect(entry.failure).toBeNull();
  expect(isAlive(spare)).toBe(false);
});

/** A runner with one definition; its variables are those of its secrets, and not of its process. */
async function deployed(name: string, variables: Readonly<Record<string, string>>) {
  const loaded = await loadDefinition(evalFile(name));
  const load = async () => loaded;
  const definitions = { names: [name], load, describe: load };
  const store = memoryStore();
  const runner = new DeployedRunner({ definitions, store, variables, onEntry: () => {}, atFirst: null });
  onTestFinished(() => runner.close());
  const atApi = { ...definitions };
  const engine = cloudEngine({
    ...{ store, definitions: async () => atApi, clock: systemClock, random: Math.random },
    executions: noExecutions,
    runner: { ...someMeans, memoryMb: 4_096 },
  });
  const readFirst = async ({ id }: EvaluationRecord) => {
    const [entry] = await Array.fromAsync(store.entries(id, { fromIndex: 0, toIndex: 1 }));
    if (entry === undefined) throw new Error("the run left no entry");
    return { entry, body: await store.readBody(id, entry.runId, entry.round) };
  };
  const runFirst = async (request: Omit<StartRequest, "evaluation">) => {
    const record = await engine.start({ evaluation: name, ...request });
    await runner.run({ v: 1, evaluationId: record.id, round: 1, run: 0 }, () => 900_000);
    return readFirst(record);
  };
  const checkFirst = async (id: EvaluationRecord["id"]) => {
    const ended = await store.findEvaluation(id);
    if (ended !== null) await store.updateEvaluation({ ...ended, status: "finished" });
    const record = await engine.check(id);
    await runner.run({ v: 1, evaluationId: id, round: record.round, run: 0 }, () => 900_000);
    return readFirst(record);
  };
  const limits = Limits.parse(loaded.options.limits ?? {});
  return { runner, runFirst, checkFirst, definitions, limits, store };
}
