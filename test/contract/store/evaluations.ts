import { expect, test } from "vitest";
import { EvaluationId, ProblemId } from "../../../src/domain/ids.ts";
import { modelKey } from "../../../src/domain/model.ts";
import { emptyTally, toModelStats } from "../../../src/domain/stats/stats.ts";
import type { Store } from "../../../src/store/store.ts";
import {
  aBody,
  aLogEntry,
  anEvaluation,
  aProblem,
  aRunId,
  problemPart,
} from "../../fixtures/records/a-log-entry.ts";
import { collect } from "./collect.ts";
import type { StoreOpener } from "./opener.ts";

/** What a store promises of evaluations and their problems. */
export function evaluationTests(stores: StoreOpener): void {
  test("an evaluation comes back as it was created", async () => {
    const store = await stores.created();
    expect(await store.findEvaluation(anEvaluation().id)).toEqual(anEvaluation());
  });

  test("an id that exists is refused and changes nothing", async () => {
    const store = await stores.created();
    const other = anEvaluation({ name: "other" });
    expect(await store.createEvaluation(other, [aProblem({ id: ProblemId.parse("peru") })])).toBe(
      "already-there",
    );
    expect(await store.findEvaluation(other.id)).toEqual(anEvaluation());
    expect(await collect(store.problems(other.id))).toEqual([aProblem()]);
  });

  test("an evaluation keeps what it added up to and what works on it", async () => {
    const store = await stores.created();
    const stats = { [modelKey({ providerKey: "scripted", model: "steady" })]: toModelStats(emptyTally(), 4) };
    const ended = anEvaluation({ stats, concurrency: 8, execution: "arn:1", runnerVersion: "7" });
    await store.updateEvaluation(ended);
    expect(await store.findEvaluation(ended.id)).toEqual(ended);
    expect(await store.listEvaluations()).toEqual([ended]);
  });

  test("an update replaces the record and keeps the problems", async () => {
    const store = await stores.created();
    const finished = anEvaluation({ status: "finished", endedAt: "2026-01-02T03:05:00Z", round: 2 });
    await store.updateEvaluation(finished);
    expect(await store.findEvaluation(finished.id)).toEqual(finished);
    expect(await collect(store.problems(finished.id))).toEqual([aProblem()]);
  });

  test.each([
    ["what it was", {}, "updated"],
    ["another round", { round: 2 }, "changed"],
    ["another status", { status: "cancelled" }, "changed"],
    ["another owner", { owner: "laptop:4243" }, "changed"],
    ["no owner", { owner: null }, "changed"],
  ] as const)("an update that expects %s (%o): %s", async (_, expected, answer) => {
    const store = await stores.created();
    const finished = anEvaluation({ status: "finished", owner: null });
    expect(await store.updateEvaluation(finished, anEvaluation(expected))).toBe(answer);
    const kept = answer === "updated" ? finished : anEvaluation();
    expect(await store.findEvaluation(finished.id)).toEqual(kept);
    expect(await store.updateEvaluation(finished, kept)).toBe("updated");
  });

  test("of many that take an evaluation over at once, one has it", async () => {
    const store = await stores.created();
    const owners = Array.from({ length: 8 }, (_, number) => `laptop:${number}`);
    const answers = await Promise.all(
      owners.map((owner) => store.updateEvaluation(anEvaluation({ owner }), anEvaluation())),
    );
    const taken = owners.filter((_, at) => answers[at] === "updated");
    expect(taken).toEqual([(await store.findEvaluation(anEvaluation().id))?.owner]);
  });

  test("updating an unknown evaluation is an error", async () => {
    const store = await stores.empty();
    for (const expected of [undefined, anEvaluation()]) {
      await expect(store.updateEvaluation(anEvaluation(), expected)).rejects.toMatchObject({
        code: "store.unknown_evaluation",
      });
    }
  });

  test("evaluations are listed newest first, by name and limit", async () => {
    const store = await stores.empty();
    const startedAt = ["2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z"];
    for (const [number, at] of startedAt.entries()) {
      const id = EvaluationId.parse(`e${number}`);
      const named = number === 2 ? "other" : 'cap"itals\ud800\0';
      await store.createEvaluation(anEvaluation({ id, name: named, startedAt: at }), []);
    }
    const ids = async (filter?: Parameters<Store["listEvaluations"]>[0]) =>
      (await store.listEvaluations(filter)).map(({ id }) => id);
    expect(await ids()).toEqual(["e2", "e0", "e1"]);
    expect(await ids({ name: 'cap"itals\ud800\0' })).toEqual(["e0", "e1"]);
    expect(await ids({ name: "nothing" })).toEqual([]);
    expect(await ids({ limit: 2 })).toEqual(["e2", "e0"]);
    expect(await ids({ name: "other", limit: 5 })).toEqual(["e2"]);
  });

  test("problems come back in the order given, with tags and without expected", async () => {
    const problems = Array.from({ length: 130 }, (_, number) =>
      aProblem({
        id: ProblemId.parse(`p${(number * 37) % 130}`),
        problem: { number, nested: [null, "é\0\ud800"] },
        expected: number % 2 === 0 ? null : { answer: number },
        tags: number % 3 === 0 ? [] : ["a", "b"],
      }),
    );
    const store = await stores.created(problems);
    expect(await collect(store.problems(anEvaluation().id))).toEqual(problems);
  });

  test("a span of problems is those positions and no others", async () => {
    const problems = Array.from({ length: 130 }, (_, number) =>
      aProblem({ id: ProblemId.parse(`p${number}`), problem: number }),
    );
    const store = await stores.created(problems);
    const read = async (from: number, to: number) => collect(store.problems(anEvaluation().id, { from, to }));
    expect(await read(0, 130)).toEqual(problems);
    expect(await read(48, 103)).toEqual(problems.slice(48, 103));
    expect(await read(129, 500)).toEqual(problems.slice(129));
    expect(await read(5, 5)).toEqual([]);
    expect(await read(130, 131)).toEqual([]);
  });

  test("a problem may have any id that an id may be", async () => {
    const problem = aProblem({ id: ProblemId.parse("a/b'\"%\0\ud800😀") });
    const store = await stores.created([problem, aProblem()]);
    await store.saveEntry(aLogEntry(problemPart(problem)), aBody());
    expect(await collect(store.entries(anEvaluation().id))).toEqual([aLogEntry(problemPart(problem))]);
  });

  test("an unknown evaluation is null or empty", async () => {
    const store = await stores.created();
    const id = EvaluationId.parse("unknown");
    expect(await store.findEvaluation(id)).toBeNull();
    expect(await collect(store.problems(id))).toEqual([]);
    expect(await collect(store.entries(id))).toEqual([]);
    expect(await store.rounds(id, aRunId(0))).toEqual([]);
    expect(await store.readBody(id, aRunId(0), 1)).toBeNull();
  });
}
