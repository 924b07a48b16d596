import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { DeployedRunner } from "../../../src/deployed-runner.ts";
import type { EvaluationRecord } from "../../../src/domain/evaluation.ts";
import { cloudEngine } from "../../../src/engine/cloud/cloud-engine.ts";
import type { StartRequest } from "../../../src/engine/contract.ts";
import { systemClock } from "../../../src/engine/system-clock.ts";
import { loadDefinition } from "../../../src/run-evaluation.ts";
import { memoryStore } from "../../../src/store/memory-store.ts";
import { ModelServer } from "../../fixtures/model-server.ts";
import { KEYS, modelVariables } from "../../fixtures/opened-gateway.ts";
import { evalFile } from "../../fixtures/run-file.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
afterAll(() => server.stop());

test("an agent with an SDK of its own calls models with the runner's key, which is in no variable of this process", async () => {
  server.mock.on(
    {},
    { content: "Lima", usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } },
  );
  const { runFirst } = await deployed("own-sdk", modelVariables(server));
  const { entry } = await runFirst({});
  expect(entry).toMatchObject({ correct: true, failure: null, turns: 1, usage: { inputTokens: 10 } });
  expect(server.last.headers.authorization).toBe(`Bearer ${KEYS.OPENAI_API_KEY}`);
});

test("a key that a model repeats is in nothing that the runner keeps", async () => {
  server.reset();
  server.mock.on({}, { content: `${KEYS.OPENAI_API_KEY} is the key` });
  const { runFirst } = await deployed("own-sdk", modelVariables(server));
  const { entry, body } = await runFirst({});
  expect(entry.result).toBe("[redacted OPENAI_API_KEY] is the key");
  expect(JSON.stringify([entry, body])).not.toContain(KEYS.OPENAI_API_KEY);
});

test("a run gets the memory that its evaluation was started with, not what its definition says", async () => {
  const { runFirst } = await deployed("own-sdk", {});
  const { entry } = await runFirst({ problems: ["variables"], limits: { memoryMb: 2_000 } });
  expect(entry.result).toMatchObject({ flags: expect.arrayContaining(["--max-old-space-size=2000"]) });
});

/** A runner with one definition; its variables are those of its secrets, and not of its process. */
async function deployed(name: string, variables: Readonly<Record<string, string>>) {
  const loaded = await loadDefinition(evalFile(name));
  const definitions = { names: [name], fingerprint: loaded.bundle.fingerprint, load: async () => loaded };
  const store = memoryStore();
  const runner = new DeployedRunner({ definitions, store, variables, onEntry: () => {}, atFirst: null });
  onTestFinished(() => runner.close());
  const engine = cloudEngine({
    ...{ store, definitions: async () => definitions, clock: systemClock, random: Math.random },
    executions: { version: "orchestrator:1", start: async () => {}, describe: async () => "ended" },
    runnerMemoryMb: 4_096,
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
  return { runFirst };
}
