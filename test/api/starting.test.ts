import { expect, test } from "vitest";
import { EvaluatorError } from "../../src/domain/errors.ts";
import { type EvaluationId, makeEvaluationId } from "../../src/domain/ids.ts";
import { failure } from "../../src/domain/run/failure.ts";
import { nothingNew } from "../../src/engine/definition/requests.ts";
import type { Engine, StartRequest } from "../../src/engine/engine.ts";
import type { Store } from "../../src/store/store.ts";
import { aBody, anEvaluation } from "../fixtures/records/a-log-entry.ts";
import { aPlan } from "../fixtures/records/a-plan.ts";
import { anApi, anEngine, refusal } from "./an-api.ts";

interface Started {
  readonly request: StartRequest;
  readonly id: EvaluationId | undefined;
}

/** An engine that stores an evaluation, as every engine does, and runs nothing. */
function storing(store: Store, started: Started[]): Engine {
  let count = 0;
  return anEngine({
    start: async (request, { id } = {}) => {
      const known = id === undefined ? null : await store.findEvaluation(id);
      if (known !== null) return known;
      started.push({ request, id });
      const made = id ?? makeEvaluationId(request.evaluation, 0, () => ++count / 100);
      const record = anEvaluation({ id: made, problemCount: 0 });
      await store.createEvaluation(record, []);
      return record;
    },
  });
}

async function aStarter() {
  const started: Started[] = [];
  const api = await anApi((store) => ({ engine: storing(store, started) }));
  const post = async (body: unknown, key?: string) =>
    api.post("/evaluations", body, key === undefined ? {} : { "idempotency-key": key });
  return { api, post, started };
}

test("a request starts an evaluation and says where it is", async () => {
  const { api, post, started } = await aStarter();
  const request = { evaluation: "capitals", models: ["openai/gpt-5-mini"], trials: 2, tags: ["mine"] };
  const response = await post(request);
  expect(response.status).toBe(202);
  const { id, url } = (await response.json()) as { id: string; url: string };
  expect([url, response.headers.get("location")]).toEqual([`/evaluations/${id}`, url]);
  expect((await api.get(url)).status).toBe(200);
  expect(started).toEqual([{ request, id: undefined }]);
});

test("a request that is sent again under its key starts nothing", async () => {
  const { post, started } = await aStarter();
  const send = async () => (await post({ evaluation: "capitals", trials: 2 }, "key-1")).json();
  const answers = await Promise.all([send(), send(), send()]);
  answers.push(await send());
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(started).toHaveLength(1);
  // The order of fields says nothing.
  const again = await (await post({ trials: 2, evaluation: "capitals" }, "key-1")).json();
  expect(again).toEqual(answers[0]);
});

test("another request under the same key is refused", async () => {
  const { post, started } = await aStarter();
  await post({ evaluation: "capitals" }, "key-1");
  const other = await refusal(await post({ evaluation: "capitals", trials: 2 }, "key-1"));
  expect(other).toEqual([409, "request.key_reused", "headers.idempotency-key"]);
  expect(started).toHaveLength(1);
  await post({ evaluation: "capitals" }, "key-2");
  expect(started).toHaveLength(2);
});

test("a key that is none is refused", async () => {
  const { post } = await aStarter();
  const answer = await refusal(await post({ evaluation: "capitals" }, "x".repeat(201)));
  expect(answer).toEqual([422, "request.invalid", "headers.idempotency-key"]);
});

test("a definition that nobody knows is not found", async () => {
  const api = await anApi();
  const answer = await refusal(await api.post("/evaluations", { evaluation: "nobody" }));
  expect(answer).toEqual([404, "definition.unknown", "body.evaluation"]);
});

test("a growth says what is kept and what is new, and under a key it happens once", async () => {
  const asked: unknown[] = [];
  const small = aPlan(2);
  const api = await anApi((store) => ({
    engine: anEngine({
      grow: async (id, request, { id: newId } = {}) => {
        const known = newId === undefined ? null : await store.findEvaluation(newId);
        if (known !== null) return known;
        asked.push([id, request]);
        const grownFrom = small.record.id;
        const record = { ...small.record, id: newId ?? ("grown" as never), trials: 3, grownFrom };
        await store.createEvaluation(record, small.problems);
        return record;
      },
    }),
  }));
  await api.store.createEvaluation(small.record, small.problems);
  const stopped = failure("cancelled", "stopped");
  const entries = [small.entry(0), small.entry(1, { failure: failure("timeout", "late"), correct: null })];
  for (const entry of [...entries, small.entry(2, { failure: stopped, correct: null })]) {
    await api.store.saveEntry(entry, aBody());
  }
  const path = `/evaluations/${small.record.id}/grow`;
  const send = async () => {
    const response = await api.post(path, { trials: 3 }, { "idempotency-key": "once" });
    return [response.status, await response.json()];
  };
  const [status, answer] = await send();
  expect([status, answer]).toEqual([202, expect.objectContaining({ keptRuns: 2, newRuns: 10 })]);
  expect(await send()).toEqual([202, answer]);
  expect(asked).toEqual([[small.record.id, { trials: 3 }]]);
});

test.each([
  [{ trials: 0 }, [422, "request.invalid", "body.trials"]],
  [{ evaluation: "another" }, [422, "request.invalid", "body"]],
  [{ problemIds: ["a"], problems: ["b"] }, [422, "request.invalid", "body.problemIds"]],
  [{}, [409, "evaluation.nothing_new", null]],
])("a growth by %j is refused", async (body, expected) => {
  const api = await anApi({
    engine: anEngine({
      grow: async (id) => {
        throw nothingNew(id);
      },
    }),
  });
  await api.store.createEvaluation(anEvaluation({ problemCount: 0 }), []);
  expect(await refusal(await api.post(`/evaluations/${anEvaluation().id}/grow`, body))).toEqual(expected);
  const unknown = await refusal(await api.post("/evaluations/nobody/grow", { trials: 2 }));
  expect(unknown).toEqual([404, "evaluation.unknown", null]);
});

test("a check asks the engine, and takes no options", async () => {
  const stored = anEvaluation({ problemCount: 0 });
  const api = await anApi({ engine: anEngine({ check: async () => ({ ...stored, round: 2 }) }) });
  const path = `/evaluations/${stored.id}/check`;
  expect(await refusal(await api.post(path))).toEqual([404, "evaluation.unknown", null]);
  await api.store.createEvaluation(stored, []);
  const response = await api.post(path);
  expect([response.status, await response.json()]).toEqual([202, { ...stored, round: 2 }]);
  expect(await refusal(await api.post(path, { trials: 2 }))).toEqual([422, "request.invalid", "body"]);
});

test("cancel and retry ask the engine, which may refuse", async () => {
  const asked: string[] = [];
  const api = await anApi((store) => ({
    engine: anEngine({
      cancel: async (id) => {
        asked.push(`cancel ${id}`);
        return (await store.findEvaluation(id)) ?? anEvaluation();
      },
      retry: async (id) => {
        asked.push(`retry ${id}`);
        throw new EvaluatorError("evaluation.running", `evaluation ${id} still runs`);
      },
    }),
  }));
  const { id } = anEvaluation();
  expect(await refusal(await api.post(`/evaluations/${id}/cancel`))).toEqual([
    404,
    "evaluation.unknown",
    null,
  ]);
  await api.store.createEvaluation(anEvaluation({ problemCount: 0 }), []);
  const cancelled = await api.post(`/evaluations/${id}/cancel`);
  expect([cancelled.status, await cancelled.json()]).toEqual([202, anEvaluation({ problemCount: 0 })]);
  expect(await refusal(await api.post(`/evaluations/${id}/retry`))).toEqual([
    409,
    "evaluation.running",
    null,
  ]);
  expect(asked).toEqual([`cancel ${id}`, `retry ${id}`]);
});
