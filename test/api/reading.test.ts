import { describe, expect, test } from "vitest";
import { EvaluationPage, EvaluationView, Grid, LogPage, RunView, Trend } from "../../src/api/answers.ts";
import { EvaluationId } from "../../src/domain/ids.ts";
import { type ModelKey, modelKey } from "../../src/domain/model.ts";
import { LogEntry } from "../../src/domain/run/log-entry.ts";
import { StatsFold } from "../../src/domain/stats/stats.ts";
import { aBody } from "../fixtures/records/a-log-entry.ts";
import { entryFor, storeEvaluation } from "../fixtures/records/a-stored-evaluation.ts";
import { type AnApi, anApi, anEngine, refusal } from "./an-api.ts";

async function allLogs(api: AnApi, query: string): Promise<number[]> {
  const found: number[] = [];
  for (let cursor = ""; ; ) {
    const page = LogPage.parse(
      await (await api.get(`/evaluations/capitals-1/logs?${query}${cursor}`)).json(),
    );
    found.push(...page.logs.map(({ index }) => index));
    if (page.next === null) return found;
    cursor = `&cursor=${encodeURIComponent(page.next)}`;
  }
}

const allIndexes = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

describe("evaluations", () => {
  test("are listed newest first, page by page, and by name, tag and status", async () => {
    const api = await anApi();
    for (const at of [1, 2, 3]) {
      await storeEvaluation(api.store, {
        id: `e-${at}`,
        problems: 0,
        record: {
          name: at === 2 ? "other" : "capitals",
          tags: at === 3 ? ["nightly"] : [],
          status: at === 1 ? "finished" : "running",
          startedAt: `2026-01-0${at}T00:00:00.000Z`,
        },
      });
    }
    const page = async (query: string) =>
      EvaluationPage.parse(await (await api.get(`/evaluations${query}`)).json());
    const ids = async (query: string) => (await page(query)).evaluations.map(({ id }) => id);
    expect(await ids("")).toEqual(["e-3", "e-2", "e-1"]);
    expect(await ids("?name=capitals")).toEqual(["e-3", "e-1"]);
    expect(await ids("?tag=nightly")).toEqual(["e-3"]);
    expect(await ids("?status=finished")).toEqual(["e-1"]);
    const { next } = await page("?limit=2");
    expect(await ids(`?limit=2&cursor=${encodeURIComponent(next ?? "")}`)).toEqual(["e-1"]);
  });

  test("show progress and stats while they run, as their entries add up to", async () => {
    const api = await anApi();
    const { record } = await storeEvaluation(api.store, { entryOf: (run) => (run.index < 5 ? {} : null) });
    const view = EvaluationView.parse(await (await api.get(`/evaluations/${record.id}`)).json());
    expect(view.status).toBe("running");
    expect(view.progress).toMatchObject({ total: 8, finished: 5, correct: 5, failed: 0, inputTokens: 50 });
    const fold = new StatsFold(record.models.map(modelKey), 4);
    for await (const entry of api.store.entries(record.id)) fold.add(entry);
    expect(view.stats).toEqual(fold.stats());
  });

  test("show what the engine knows by itself", async () => {
    const live = new StatsFold(["scripted/m0" as ModelKey], 9).stats();
    const api = await anApi({ engine: anEngine({ liveStats: () => live }) });
    await storeEvaluation(api.store);
    const view = EvaluationView.parse(await (await api.get("/evaluations/capitals-1")).json());
    expect(view.stats).toEqual(live);
  });
});

describe("logs", () => {
  test("come in plan order, page by page, filtered as asked", async () => {
    const api = await anApi();
    await storeEvaluation(api.store);
    expect(await allLogs(api, "limit=3")).toEqual(allIndexes(8));
    expect(await allLogs(api, "limit=2&correct=true")).toEqual([0, 3, 6]);
    expect(await allLogs(api, "correct=false")).toEqual([1, 4, 7]);
    expect(await allLogs(api, "cause=timeout&limit=1")).toEqual([2, 5]);
    expect(await allLogs(api, "failed=false&model=scripted/m1")).toEqual([1, 3, 7]);
    expect(await allLogs(api, "from=2&to=5")).toEqual([2, 3, 4]);
  });

  test("show a run with all its rounds, of which the last counts", async () => {
    const api = await anApi();
    const { record, runs } = await storeEvaluation(api.store);
    const [run] = runs;
    if (run === undefined) throw new Error("there is a first run");
    const body = aBody({ stdout: { head: "second", tail: "", bytes: 6, droppedBytes: 0 } });
    await api.store.saveEntry(entryFor(record, run, { round: 2 }), body);
    const path = `/evaluations/${record.id}/logs/${run.runId}`;
    const view = RunView.parse(await (await api.get(path)).json());
    expect([view.entry.round, view.rounds.map(({ round }) => round)]).toEqual([2, [1, 2]]);
    expect(await (await api.get(`${path}/stdout`)).text()).toBe("second");
    expect(await (await api.get(`${path}/stdout?round=1`)).text()).toBe("run 0 says hello\n");
    expect(await refusal(await api.get(`${path}/stdout?round=3`))).toEqual([404, "run.unknown", null]);
  });

  test("are found by the number of a run in the plan too", async () => {
    const api = await anApi();
    const { runs } = await storeEvaluation(api.store);
    const view = RunView.parse(await (await api.get("/evaluations/capitals-1/logs/3")).json());
    expect(view.entry).toMatchObject({ index: 3, runId: runs[3]?.runId });
    expect((await api.get("/evaluations/capitals-1/logs/3/transcript")).status).toBe(200);
    expect(await refusal(await api.get("/evaluations/capitals-1/logs/99"))).toEqual([
      404,
      "run.unknown",
      null,
    ]);
  });

  test("have a body in parts: text for people, JSON for programs", async () => {
    const api = await anApi();
    const { runs } = await storeEvaluation(api.store);
    const path = `/evaluations/capitals-1/logs/${runs[0]?.runId}`;
    const text = await api.get(`${path}/stderr`);
    expect(text.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await text.text()).toBe("first\n… 1000 bytes not kept …\nlast");
    const json = await api.get(`${path}/stderr`, { accept: "application/json" });
    expect(await json.json()).toEqual({ head: "first", tail: "last", bytes: 1_009, droppedBytes: 1_000 });
    const transcript = await (await api.get(`${path}/transcript`)).json();
    expect(transcript).toEqual([{ kind: "note", atMs: 1, text: "note of 0" }]);
    expect(await (await api.get(`${path}/result`)).json()).toEqual({ value: "Paris" });
  });

  test("give a large body piece by piece where one answer cannot hold it", async () => {
    const api = await anApi({ maxAnswerBytes: 10 });
    const { runs } = await storeEvaluation(api.store);
    const path = `/evaluations/capitals-1/logs/${runs[0]?.runId}/stdout`;
    expect(await refusal(await api.get(path))).toEqual([413, "answer.too_large", null]);
    const ranges = ["bytes=0-", "bytes=10-", "bytes=3-5"];
    const pieces = await Promise.all(ranges.map((range) => api.get(path, { range })));
    expect(pieces.map(({ status }) => status)).toEqual([206, 206, 206]);
    expect(pieces.map(({ headers }) => headers.get("content-range"))).toEqual([
      "bytes 0-9/17",
      "bytes 10-16/17",
      "bytes 3-5/17",
    ]);
    expect(await Promise.all(pieces.map((piece) => piece.text()))).toEqual(["run 0 says", " hello\n", " 0 "]);
    expect((await api.get(path, { range: "bytes=17-" })).status).toBe(416);
  });
});

describe("the grid", () => {
  test("has a row per problem and a character per run", async () => {
    const api = await anApi();
    await storeEvaluation(api.store, { trials: 2, problems: 3 });
    const grid = Grid.parse(await (await api.get("/evaluations/capitals-1/grid")).json());
    expect(grid).toEqual({
      models: ["scripted/m0", "scripted/m1"],
      trials: 2,
      problemCount: 3,
      from: 0,
      problems: [0, 1, 2].map((at) => ({ id: `p${at}`, tags: ["geography"], text: `Question ${at}?` })),
      rows: ["+-t+", "-t+-", "t+-t"],
      next: null,
    });
  });

  test("is read page by page, without problems for those who know them", async () => {
    const api = await anApi();
    await storeEvaluation(api.store, { problems: 3 });
    const page = async (query: string) =>
      Grid.parse(await (await api.get(`/evaluations/capitals-1/grid?${query}`)).json());
    expect(await page("limit=2&problems=false")).toMatchObject({ problems: [], rows: ["+-", "t+"], next: 2 });
    expect(await page("from=2")).toMatchObject({
      from: 2,
      problems: [{ id: "p2" }],
      rows: ["-t"],
      next: null,
    });
    expect(await page("from=9")).toMatchObject({ problems: [], rows: [], next: null });
  });
});

describe("an export", () => {
  test("has every entry with its whole result, a line each", async () => {
    const api = await anApi();
    const large = "x".repeat(20_000);
    const { record, runs } = await storeEvaluation(api.store, { entryOf: () => null });
    const changes = { result: large, resultBytes: large.length + 2 };
    for (const run of runs) {
      await api.store.saveEntry(entryFor(record, run, changes), aBody({ result: large }));
    }
    const response = await api.get(`/evaluations/${record.id}/export?format=jsonl`);
    expect(response.headers.get("content-type")).toBe("application/jsonl; charset=utf-8");
    const lines = (await response.text()).trimEnd().split("\n");
    const entries = lines.map((line) => LogEntry.parse(JSON.parse(line)));
    expect(entries.map(({ index }) => index)).toEqual(runs.map(({ index }) => index));
    expect(new Set(entries.map(({ result }) => result))).toEqual(new Set([large]));
  });

  test("goes on where it was cut, when one answer cannot hold it", async () => {
    const api = await anApi({ maxAnswerBytes: 200_000 });
    await storeEvaluation(api.store, { problems: 250 });
    const seen: number[] = [];
    let answers = 0;
    for (let cursor: string | null = ""; cursor !== null; answers++) {
      const response = await api.get(`/evaluations/capitals-1/export?format=jsonl${cursor}`);
      const lines = (await response.text()).trimEnd().split("\n");
      seen.push(...lines.map((line) => JSON.parse(line).index));
      const next = response.headers.get("next-cursor");
      cursor = next === null ? null : `&cursor=${encodeURIComponent(next)}`;
    }
    expect(answers).toBeGreaterThan(1);
    expect(seen).toEqual(allIndexes(500));
  });
});

test("a trend has a point for every evaluation of the name that has ended", async () => {
  const api = await anApi();
  const stored = [
    ["old-1", "2026-01-01T00:00:00.000Z", true],
    ["new-1", "2026-01-02T00:00:00.000Z", true],
    ["unknown-1", "2026-01-03T00:00:00.000Z", false],
  ] as const;
  for (const [id, startedAt, isAddedUp] of stored) {
    const { record } = await storeEvaluation(api.store, { id, problems: 1, record: { startedAt } });
    const fold = new StatsFold(record.models.map(modelKey), 1);
    for await (const entry of api.store.entries(record.id)) fold.add(entry);
    const stats = isAddedUp ? fold.stats() : null;
    await api.store.updateEvaluation({ ...record, status: "finished", stats });
  }
  const trend = Trend.parse(await (await api.get("/definitions/capitals/trend")).json());
  expect(trend.evaluations.map(({ id }) => id)).toEqual(["new-1", "old-1"]);
  expect(trend.evaluations[0]?.models["scripted/m0" as ModelKey]).toEqual({
    accuracy: 1,
    planned: 1,
    failuresByFault: { model: 0, code: 0, infrastructure: 0, stopped: 0 },
    runsWithUnknownCost: 0,
    finished: 1,
    correct: 1,
    scored: 1,
    failed: 0,
    costUsd: 0.000_012,
    p50RuntimeSeconds: 0.25,
  });
  const unknown = await refusal(await api.get("/definitions/nobody/trend"));
  expect(unknown).toEqual([404, "definition.unknown", "params.name"]);
});

test("what is not there is not found", async () => {
  const api = await anApi();
  const { record } = await storeEvaluation(api.store, { id: EvaluationId.parse("here-1"), problems: 0 });
  const run = "0".repeat(20);
  for (const path of ["", "/logs", "/grid", "/export", `/logs/${run}`, `/logs/${run}/stdout`]) {
    const answer = await refusal(await api.get(`/evaluations/nobody-1${path}`));
    expect(answer).toEqual([404, "evaluation.unknown", null]);
  }
  const answer = await refusal(await api.get(`/evaluations/${record.id}/logs/${run}`));
  expect(answer).toEqual([404, "run.unknown", null]);
});
