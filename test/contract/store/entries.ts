import fc from "fast-check";
import { expect, test } from "vitest";
import { EvaluationId, ProblemId } from "../../../src/domain/ids.ts";
import { failure } from "../../../src/domain/run/failure.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import type { EntryFilter } from "../../../src/store/store.ts";
import {
  aBody,
  aLogEntry,
  anEvaluation,
  aProblem,
  aRunId,
  problemPart,
} from "../../fixtures/records/a-log-entry.ts";
import { printed } from "../../fixtures/records/captured-output.ts";
import { collect } from "./collect.ts";
import type { StoreOpener } from "./opener.ts";

/** What a store promises of the entries of runs. */
export function entryTests(stores: StoreOpener): void {
  test("the first save of a run wins, entry and body alike", async () => {
    const store = await stores.created();
    const first = aBody({ stdout: printed("first") });
    expect(await store.saveEntry(aLogEntry(), first)).toBe("saved");
    const late = aLogEntry({ correct: false });
    expect(await store.saveEntry(late, aBody({ stdout: printed("late") }))).toBe("already-there");
    expect(await collect(store.entries(late.evaluationId))).toEqual([aLogEntry()]);
    expect(await store.readBody(late.evaluationId, late.runId, 1)).toEqual(first);
  });

  test("whether a run has an entry is known round by round", async () => {
    const store = await stores.created();
    await store.saveEntry(aLogEntry({ index: 3, round: 2 }), aBody());
    expect(await store.hasEntry(aLogEntry({ index: 3, round: 2 }))).toBe(true);
    expect(await store.hasEntry(aLogEntry({ index: 3, round: 1 }))).toBe(false);
    expect(await store.hasEntry(aLogEntry({ index: 4, round: 2 }))).toBe(false);
    const elsewhere = EvaluationId.parse("elsewhere");
    expect(await store.hasEntry(aLogEntry({ evaluationId: elsewhere, index: 3, round: 2 }))).toBe(false);
  });

  test("of concurrent saves of a run exactly one is saved", async () => {
    const store = await stores.created();
    const texts = Array.from({ length: 20 }, (_, number) => `writer ${number % 10}`);
    const saves = texts.map((text) =>
      store.saveEntry(aLogEntry({ reason: text }), aBody({ stdout: printed(text) })),
    );
    const answers = await Promise.all(saves);
    expect(answers.filter((answer) => answer === "saved")).toHaveLength(1);
    const [entry] = await collect(store.entries(anEvaluation().id));
    const body = await store.readBody(anEvaluation().id, aRunId(0), 1);
    expect(entry?.reason).toBe(texts[answers.indexOf("saved")]);
    expect(body?.stdout.head).toBe(entry?.reason);
  });

  test("readers take the highest round, whatever was saved last", async () => {
    const store = await stores.created();
    for (const round of [2, 10, 1]) await store.saveEntry(aLogEntry({ round }), aBody());
    await store.saveEntry(aLogEntry({ index: 1 }), aBody());
    const rounds = (await collect(store.entries(anEvaluation().id))).map((entry) => entry.round);
    expect(rounds).toEqual([10, 1]);
  });

  test("every round of a run is there, oldest first, with its own body", async () => {
    const store = await stores.created();
    for (const round of [2, 10, 1]) {
      await store.saveEntry(aLogEntry({ round }), aBody({ stdout: printed(`round ${round}`) }));
    }
    const rounds = await store.rounds(anEvaluation().id, aRunId(0));
    expect(rounds).toEqual([1, 2, 10].map((round) => aLogEntry({ round })));
    const body = await store.readBody(anEvaluation().id, aRunId(0), 2);
    expect(body?.stdout.head).toBe("round 2");
    expect(await store.readBody(anEvaluation().id, aRunId(0), 3)).toBeNull();
  });

  test("entries come in plan order whatever the order of saving", async () => {
    const orders = fc.shuffledSubarray([...Array(30).keys()], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        const store = await stores.created();
        await Promise.all(order.map((index) => store.saveEntry(aLogEntry({ index }), aBody())));
        const found = (await collect(store.entries(anEvaluation().id))).map(({ index }) => index);
        expect(found).toEqual([...order].sort((a, b) => a - b));
      }),
      { numRuns: 15 },
    );
  });

  test("entries can be asked for by failure, run and index", async () => {
    const store = await stores.created();
    const failedOnes = new Set([1, 3]);
    for (const index of [4, 3, 2, 1, 0]) {
      const why = failedOnes.has(index) ? failure("timeout", "too slow") : null;
      await store.saveEntry(aLogEntry({ index, failure: why }), aBody());
    }
    await store.saveEntry(aLogEntry({ index: 3, round: 2 }), aBody());
    const indexes = async (filter: EntryFilter) =>
      (await collect(store.entries(anEvaluation().id, filter))).map(({ index }) => index);
    expect(await indexes({ failed: true })).toEqual([1]);
    expect(await indexes({ failed: false })).toEqual([0, 2, 3, 4]);
    expect(await indexes({ fromIndex: 3 })).toEqual([3, 4]);
    expect(await indexes({ runIds: [aRunId(4), aRunId(1), aRunId(99)] })).toEqual([1, 4]);
    expect(await indexes({ runIds: [] })).toEqual([]);
    expect(await indexes({ runIds: [aRunId(1), aRunId(2)], failed: false, fromIndex: 1 })).toEqual([2]);
  });

  test("one evaluation never sees the entries of another", async () => {
    const store = await stores.created();
    const id = EvaluationId.parse("capitals-2");
    await store.createEvaluation(anEvaluation({ id }), [aProblem({ expected: "Lyon" })]);
    await store.saveEntry(aLogEntry(), aBody());
    await store.saveEntry(aLogEntry({ evaluationId: id, expected: "Lyon", round: 7 }), aBody());
    const seen = [await collect(store.entries(anEvaluation().id)), await collect(store.entries(id))];
    expect(seen.flat().map(({ round, expected }) => [round, expected])).toEqual([
      [1, "Paris"],
      [7, "Lyon"],
    ]);
  });

  test("fifteen hundred entries come whole and in order", async () => {
    const problems = Array.from({ length: 50 }, (_, number) =>
      aProblem({ id: ProblemId.parse(`p${number}`), problem: number }),
    );
    const store = await stores.created(problems, { trials: 30 });
    const entryAt = (index: number): LogEntry =>
      aLogEntry({ index, ...problemPart(problems[Math.floor(index / 30)] ?? aProblem()) });
    for (let start = 0; start < 1_500; start += 100) {
      const some = Array.from({ length: 100 }, (_, number) => entryAt(1_499 - start - number));
      await Promise.all(some.map((entry) => store.saveEntry(entry, aBody())));
    }
    let expected = 0;
    for await (const entry of store.entries(anEvaluation().id)) {
      if (entry.index !== expected || entry.problem !== Math.floor(expected / 30)) break;
      expected++;
    }
    expect(expected).toBe(1_500);
  });

  test("entries as large as they get come whole and in order", async () => {
    const store = await stores.created();
    const indexes = [...Array(200).keys()];
    const reason = "x".repeat(7_000);
    await Promise.all(indexes.map((index) => store.saveEntry(aLogEntry({ index, reason }), aBody())));
    const found = await collect(store.entries(anEvaluation().id));
    expect(found.map(({ index }) => index)).toEqual(indexes);
    expect(found.every((entry) => entry.reason === reason)).toBe(true);
  });

  test("entries can be saved while they are being read", async () => {
    const store = await stores.created();
    for (let index = 0; index < 600; index++) await store.saveEntry(aLogEntry({ index }), aBody());
    let read = 0;
    for await (const { index } of store.entries(anEvaluation().id)) {
      read++;
      if (index % 100 === 0) {
        expect(await store.saveEntry(aLogEntry({ index, round: 2 }), aBody())).toBe("saved");
      }
    }
    expect(read).toBe(600);
  });

  test("reading over and over lets the rest of the process work", async () => {
    const store = await stores.created();
    await store.saveEntry(aLogEntry(), aBody());
    let worked = false;
    setImmediate(() => {
      worked = true;
    });
    for (let reading = 0; reading < 10; reading++) await collect(store.entries(anEvaluation().id));
    expect(worked).toBe(true);
  });

  test("a caller that changes its values later changes nothing saved", async () => {
    const store = await stores.created();
    const result = { list: [1] };
    await store.saveEntry(aLogEntry({ result }), aBody({ result }));
    result.list.push(2);
    const [entry] = await collect(store.entries(anEvaluation().id));
    expect(entry?.result).toEqual({ list: [1] });
  });
}
