import fc from "fast-check";
import { expect, test } from "vitest";
import type { EvaluationStatus } from "../../../src/domain/evaluation.ts";
import { EvaluationId } from "../../../src/domain/ids.ts";
import { modelKey } from "../../../src/domain/model.ts";
import { failure } from "../../../src/domain/run/failure.ts";
import type { EntryFilter, EvaluationFilter, Page, PageRequest } from "../../../src/store/store.ts";
import { aBody, anEvaluation } from "../../fixtures/records/a-log-entry.ts";
import { aPlan, aRange } from "../../fixtures/records/a-plan.ts";
import { collect } from "./collect.ts";
import type { StoreOpener } from "./opener.ts";

/** What a store promises of lists that are read page by page. */
export function pageTests(stores: StoreOpener): void {
  test("pages of entries join to the same entries, whatever the filter and the size", async () => {
    const plan = aPlan(25);
    const store = await stores.created(plan.problems, plan.record);
    for (let index = 0; index < 90; index += 2) {
      const why = index % 10 === 0 ? failure("timeout", "slow") : null;
      await store.saveEntry(plan.entry(index, { failure: why, correct: index % 4 === 0 }), aBody());
    }
    await store.saveRange(aRange({ from: 30, to: 60 }));
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 40 }), async (filter, limit) => {
        const paged = await allPages((page) => store.pageEntries(plan.record.id, filter, page), limit);
        expect(paged).toEqual(await collect(store.entries(plan.record.id, filter)));
      }),
      { numRuns: 30 },
    );
  });

  test("entries can be asked for by model, verdict, cause and end of the span", async () => {
    const plan = aPlan(2);
    const store = await stores.created(plan.problems, plan.record);
    for (const index of [0, 1, 2, 3, 4, 5, 6]) {
      const why = index === 3 ? failure("timeout", "slow") : null;
      const correct = index === 5 ? null : index % 2 === 0;
      await store.saveEntry(plan.entry(index, { failure: why, correct }), aBody());
    }
    const indexes = async (filter: EntryFilter) =>
      (await collect(store.entries(plan.record.id, filter))).map(({ index }) => index);
    const hasty = modelKey({ providerKey: "scripted", model: "hasty" });
    expect(await indexes({ model: hasty })).toEqual([2, 3, 6]);
    expect(await indexes({ correct: true })).toEqual([0, 2, 4, 6]);
    expect(await indexes({ correct: false })).toEqual([1]);
    expect(await indexes({ cause: "timeout" })).toEqual([3]);
    expect(await indexes({ cause: "crashed" })).toEqual([]);
    expect(await indexes({ fromIndex: 2, toIndex: 5 })).toEqual([2, 3, 4]);
    expect(await indexes({ model: hasty, correct: true, toIndex: 6 })).toEqual([2]);
  });

  test("a page reads no more than it must of a long plan", async () => {
    const plan = aPlan(5_000);
    const store = await stores.created(plan.problems, plan.record);
    await store.saveEntry(plan.entry(19_999), aBody());
    const first = await store.pageEntries(plan.record.id, { correct: true }, { limit: 1 });
    expect(first.items).toEqual([]);
    expect(first.next).not.toBeNull();
    const all = await allPages((page) => store.pageEntries(plan.record.id, {}, page), 10);
    expect(all.map(({ index }) => index)).toEqual([19_999]);
  });

  test("pages of evaluations join to the same list, newest first", async () => {
    const store = await stores.empty();
    for (let number = 0; number < 230; number++) {
      const id = EvaluationId.parse(`e${String((number * 7) % 230).padStart(3, "0")}`);
      const startedAt = new Date(Date.UTC(2026, 0, 1) + (number % 50) * 1_000).toISOString();
      const name = number % 3 === 0 ? "capitals" : "rivers";
      const status: EvaluationStatus = number % 2 === 0 ? "finished" : "running";
      const tags = number % 5 === 0 ? ["nightly", 'it"s'] : [];
      await store.createEvaluation(anEvaluation({ id, startedAt, name, status, tags }), []);
    }
    const wanted: readonly EvaluationFilter[] = [
      {},
      { name: "capitals" },
      { status: "running" },
      { tag: 'it"s' },
      { name: "rivers", status: "finished", tag: "nightly" },
      { tag: "none" },
    ];
    for (const filter of wanted) {
      const listed = await store.listEvaluations(filter);
      const paged = await allPages((page) => store.pageEvaluations(filter, page), 7);
      expect(paged.map(({ id }) => id)).toEqual(listed.map(({ id }) => id));
    }
    const counts = await Promise.all(
      wanted.map(async (filter) => (await store.listEvaluations(filter)).length),
    );
    expect(counts).toEqual([230, 77, 115, 46, 15, 0]);
  });

  test.each(["", "nonsense", "e30", Buffer.from('{"kind":"entries","place":-1}').toString("base64url")])(
    "%j is not a cursor",
    async (cursor) => {
      const store = await stores.created();
      const refused = { code: "store.bad_cursor" };
      await expect(store.pageEvaluations({}, { limit: 1, cursor })).rejects.toMatchObject(refused);
      await expect(store.pageEntries(anEvaluation().id, {}, { limit: 1, cursor })).rejects.toMatchObject(
        refused,
      );
    },
  );

  test("a cursor of one list is none of another", async () => {
    const store = await stores.empty();
    for (const id of ["a", "b"]) {
      await store.createEvaluation(anEvaluation({ id: EvaluationId.parse(id) }), []);
    }
    const { next } = await store.pageEvaluations({}, { limit: 1 });
    const page = { limit: 1, cursor: next ?? "" };
    await expect(store.pageEntries(EvaluationId.parse("a"), {}, page)).rejects.toMatchObject({
      code: "store.bad_cursor",
    });
  });

  test("an unknown evaluation has one empty page and no rows", async () => {
    const store = await stores.empty();
    const id = EvaluationId.parse("unknown");
    expect(await store.pageEntries(id, {}, { limit: 5 })).toEqual({ items: [], next: null });
    expect(await collect(store.verdictRows(id))).toEqual([]);
  });
}

/** Bounded, so that a store whose pages never end fails instead of hanging. */
async function allPages<Item>(
  read: (page: PageRequest) => Promise<Page<Item>>,
  limit: number,
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 1_000; pages++) {
    const { items, next } = await read({ limit, ...(cursor === undefined ? {} : { cursor }) });
    expect(items.length).toBeLessThanOrEqual(limit);
    all.push(...items);
    if (next === null) return all;
    cursor = next;
  }
  throw new Error("the pages never end");
}

const filters: fc.Arbitrary<EntryFilter> = fc.record(
  {
    failed: fc.boolean(),
    correct: fc.boolean(),
    cause: fc.constantFrom("timeout" as const, "cancelled" as const),
    fromIndex: fc.integer({ min: 0, max: 100 }),
    toIndex: fc.integer({ min: 0, max: 120 }),
    model: fc.constantFrom("steady", "hasty").map((model) => modelKey({ providerKey: "scripted", model })),
  },
  { requiredKeys: [] },
);
