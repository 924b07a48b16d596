import { beforeEach, expect, test } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import { aBody, aLogEntry, anEvaluation, aProblem } from "../../fixtures/records/a-log-entry.ts";
import { collect } from "./collect.ts";
import type { StoreOpener } from "./opener.ts";

const { id } = anEvaluation();
const ours = { round: 1, key: "ours" };
const theirs = { round: 1, key: "theirs" };
const forged = aLogEntry({ correct: true });
const own = aLogEntry({ correct: false });

/** Entries that somebody wrote who does not know the evaluation's key. */
export function sealTests(stores: StoreOpener): void {
  let store: Store;
  beforeEach(async () => {
    store = await stores.empty();
    await store.createEvaluation(anEvaluation(), [aProblem()]);
    store.learnSeal(id, theirs);
    await store.saveEntry(forged, aBody());
    store.learnSeal(id, ours);
  });

  test("a foreign entry is not there for readers", async () => {
    expect(await collect(store.entries(id))).toEqual([]);
    expect(await store.hasEntry(own)).toBe(false);
    expect(await store.rounds(id, own.runId)).toEqual([]);
    expect(await store.readBody(id, own.runId, 1, own.index)).toBeNull();
  });

  test("an evaluator's own entry takes the place of a foreign one, and says so", async () => {
    expect(await store.saveEntry(own, aBody())).toBe("replaced");
    expect(await collect(store.entries(id))).toEqual([{ ...own, wasForged: true }]);
    expect(await store.saveEntry(aLogEntry({ score: 1 }), aBody())).toBe("already-there");
    expect(await store.removeForeign(id)).toEqual([]);
  });

  test("what is delivered twice is one's own, and nothing is foreign", async () => {
    const entry = aLogEntry({ index: 1 });
    expect(await store.saveEntry(entry, aBody())).toBe("saved");
    expect(await store.saveEntry(entry, aBody())).toBe("already-there");
    expect(await collect(store.entries(id))).toEqual([entry]);
  });

  test("foreign entries are taken out and named, and what they hid is there again", async () => {
    await store.saveEntry(aLogEntry({ index: 1, correct: false }), aBody());
    store.learnSeal(id, { round: 7, key: "theirs" });
    await store.saveEntry(aLogEntry({ index: 1, round: 7 }), aBody());
    store.learnSeal(id, { round: 7, key: "ours" });
    const [first, later] = [
      { evaluationId: id, runId: forged.runId, index: 0, round: 1 },
      { evaluationId: id, runId: aLogEntry({ index: 1 }).runId, index: 1, round: 7 },
    ];
    expect(await store.removeForeign(id, { from: 0, to: 1 })).toEqual([first]);
    expect(await store.removeForeign(id)).toEqual([later]);
    expect(await store.removeForeign(id)).toEqual([]);
    expect(await collect(store.entries(id))).toMatchObject([{ index: 1, round: 1, correct: false }]);
    expect(await collect(store.verdictRows(id))).toMatchObject([
      { verdicts: expect.stringMatching(/^\.-\./) },
      {},
    ]);
  });

  test("a key holds from its round on", async () => {
    store.learnSeal(id, { round: 2, key: "ours" });
    const again = aLogEntry({ round: 2 });
    expect(await store.saveEntry(again, aBody())).toBe("saved");
    expect(await store.hasEntry(again)).toBe(true);
    expect(await store.removeForeign(id)).toMatchObject([{ round: 1 }]);
    store.learnSeal(id, { round: 3, key: "newer" });
    expect(await collect(store.entries(id))).toEqual([again]);
  });
}
