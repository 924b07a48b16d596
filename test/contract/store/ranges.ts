import fc from "fast-check";
import { expect, test } from "vitest";
import { failure } from "../../../src/domain/run/failure.ts";
import { entryOfRange, type RunRange } from "../../../src/domain/run/run-range.ts";
import { VERDICT } from "../../../src/domain/run/verdict.ts";
import type { Store } from "../../../src/store/store.ts";
import { aBody } from "../../fixtures/records/a-log-entry.ts";
import { aPlan, aRange, type PlannedEvaluation } from "../../fixtures/records/a-plan.ts";
import { collect } from "./collect.ts";
import type { StoreOpener } from "./opener.ts";

/** What a store promises of runs that ended without entries of their own, and of the grid. */
export function rangeTests(stores: StoreOpener): void {
  test("runs of a range are entries to whoever reads", async () => {
    const { plan, store } = await planned(stores, 3);
    const range = aRange({ from: 4, to: 9 });
    expect(await store.saveRange(range)).toBe("saved");
    const found = await collect(store.entries(plan.record.id));
    expect(found).toEqual(plan.runs.slice(4, 9).map((run) => entryOfRange(range, run)));
  });

  test("the first save of a range wins", async () => {
    const { plan, store } = await planned(stores, 1);
    await store.saveRange(aRange({ from: 0, to: 2 }));
    expect(await store.saveRange(aRange({ from: 0, to: 2, message: "late" }))).toBe("already-there");
    const [entry] = await collect(store.entries(plan.record.id));
    expect(entry?.failure?.message).toBe("the evaluation was cancelled");
  });

  test("a run with an entry of its own is part of no range, in whatever round", async () => {
    const { plan, store } = await planned(stores, 2);
    await store.saveEntry(plan.entry(2), aBody());
    await store.saveRange(aRange({ from: 1, to: 5, round: 2 }));
    expect(await verdicts(store, plan)).toEqual([".", "x", "+", "x", "x", ".", ".", "."]);
    expect(await store.rounds(plan.record.id, runId(plan, 2))).toEqual([plan.entry(2)]);
    expect(await store.readBody(plan.record.id, runId(plan, 2), 2)).toBeNull();
  });

  test("of several ranges the one of the highest round counts", async () => {
    const { plan, store } = await planned(stores, 2);
    await store.saveRange(aRange({ from: 2, to: 6, round: 3, cause: "budget" }));
    await store.saveRange(aRange({ from: 0, to: 4, round: 2, cause: "crashed" }));
    await store.saveRange(aRange({ from: 5, to: 8, round: 1 }));
    expect((await verdicts(store, plan)).join("")).toBe("ccbbbbxx");
  });

  test("a run of a range is found by its id, in each of its rounds, with an empty body", async () => {
    const { plan, store } = await planned(stores, 2);
    const ranges = [2, 1].map((round) => aRange({ from: 3, to: 7, round }));
    for (const range of ranges) await store.saveRange(range);
    const run = plan.runs[5];
    if (run === undefined) throw new Error("the plan is too short");
    const rounds = await store.rounds(plan.record.id, run.runId);
    expect(rounds).toEqual(ranges.toReversed().map((range) => entryOfRange(range, run)));
    expect(await store.readBody(plan.record.id, run.runId, 2)).toEqual(aBody({ result: null }));
    expect(await store.readBody(plan.record.id, run.runId, 3)).toBeNull();
    expect(await store.rounds(plan.record.id, runId(plan, 0))).toEqual([]);
  });

  test("filters see the runs of ranges too", async () => {
    const { plan, store } = await planned(stores, 2);
    await store.saveEntry(plan.entry(0, { failure: failure("timeout", "slow") }), aBody());
    await store.saveEntry(plan.entry(1), aBody());
    await store.saveRange(aRange({ from: 0, to: 8 }));
    const { id } = plan.record;
    const indexes = async (filter: Parameters<Store["entries"]>[1]) =>
      (await collect(store.entries(id, filter))).map(({ index }) => index);
    expect(await indexes({ cause: "cancelled" })).toEqual([2, 3, 4, 5, 6, 7]);
    expect(await indexes({ failed: true, toIndex: 4 })).toEqual([0, 2, 3]);
    expect(await indexes({ failed: false })).toEqual([1]);
    expect(await indexes({ runIds: [runId(plan, 7), runId(plan, 1)] })).toEqual([1, 7]);
    expect(await indexes({ fromIndex: 6 })).toEqual([6, 7]);
  });

  test("verdict rows cover the whole plan in order, also where nothing is known", async () => {
    const { plan, store } = await planned(stores, 400);
    for (const index of [0, 700, 1_599]) await store.saveEntry(plan.entry(index), aBody());
    await store.saveRange(aRange({ from: 450, to: 1_020 }));
    const rows = await collect(store.verdictRows(plan.record.id));
    let next = 0;
    for (const { from, verdicts: text } of rows) {
      expect(from).toBe(next);
      expect(text.length).toBeLessThanOrEqual(1_000);
      next += text.length;
    }
    const all = rows.map((row) => row.verdicts).join("");
    const expected = `+${".".repeat(449)}${"x".repeat(250)}+${"x".repeat(319)}${".".repeat(579)}+`;
    expect(all).toBe(expected);
  });

  test("entries, pages and verdict rows agree, whatever was saved", async () => {
    await fc.assert(
      fc.asyncProperty(histories, async ({ entries, ranges }) => {
        const { plan, store } = await planned(stores, 10);
        const { id } = plan.record;
        for (const [index, round] of entries) {
          await store.saveEntry(plan.entry(index, { round, correct: round % 2 === 0 }), aBody());
        }
        for (const range of ranges) await store.saveRange(range);
        const own = new Map<number, number>();
        for (const [index, round] of entries) own.set(index, Math.max(round, own.get(index) ?? 0));
        const expected = plan.runs.map(({ index }) => expectedVerdict(index, own, ranges));
        expect(await verdicts(store, plan)).toEqual(expected);
        const all = await collect(store.entries(id));
        expect(all.map(({ index }) => index)).toEqual(
          expected.flatMap((verdict, index) => (verdict === VERDICT.missing ? [] : [index])),
        );
      }),
      { numRuns: 25 },
    );
  });
}

const runId = (plan: PlannedEvaluation, index: number) => plan.entry(index).runId;

async function planned(stores: StoreOpener, problemCount: number) {
  const plan = aPlan(problemCount);
  const store = await stores.created(plan.problems, plan.record);
  return { plan, store };
}

async function verdicts(store: Store, plan: PlannedEvaluation): Promise<string[]> {
  const rows = await collect(store.verdictRows(plan.record.id));
  return rows.flatMap((row) => [...row.verdicts]);
}

function expectedVerdict(
  index: number,
  own: ReadonlyMap<number, number>,
  ranges: readonly RunRange[],
): string {
  const round = own.get(index);
  if (round !== undefined) return round % 2 === 0 ? VERDICT.correct : VERDICT.wrong;
  const covering = ranges.filter(({ from, to }) => from <= index && index < to);
  const [highest] = covering.sort((a, b) => b.round - a.round);
  return highest === undefined ? VERDICT.missing : VERDICT[highest.cause];
}

const CAUSES = { 1: "cancelled", 2: "budget", 3: "crashed" } as const;

/** One cause per round, so that of two ranges of one round it does not matter which is taken. */
const histories = fc.record({
  entries: fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 39 }), fc.integer({ min: 1, max: 3 })), {
    maxLength: 30,
    selector: String,
  }),
  ranges: fc.uniqueArray(
    fc
      .tuple(fc.constantFrom(1, 2, 3), fc.integer({ min: 0, max: 38 }), fc.integer({ min: 1, max: 20 }))
      .map(([round, from, length]) =>
        aRange({ round, from, to: Math.min(from + length, 40), cause: CAUSES[round as 1 | 2 | 3] }),
      ),
    { maxLength: 5, selector: ({ round, from, to }) => `${round} ${from} ${to}` },
  ),
});
