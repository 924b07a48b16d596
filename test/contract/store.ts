import { afterEach, describe, expect, test } from "vitest";
import { aBody, aLogEntry, anEvaluation, aProblem, aRunId } from "../fixtures/a-log-entry.ts";
import { collect } from "./collect.ts";
import { printed } from "./printed.ts";
import { bodyTests } from "./store-bodies.ts";
import { entryTests } from "./store-entries.ts";
import { evaluationTests } from "./store-evaluations.ts";
import { type OpenedStore, StoreOpener } from "./store-opener.ts";

/** What every store promises; `open` gives an empty one. */
export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  const stores = new StoreOpener(open);
  afterEach(() => stores.endAll());

  describe(`${name}: evaluations`, () => evaluationTests(stores));
  describe(`${name}: entries`, () => entryTests(stores));
  describe(`${name}: heads and bodies`, () => bodyTests(stores));

  test(`${name}: what was saved is there after opening again`, async (context) => {
    const { store, reopen } = await stores.open();
    if (reopen === undefined) return context.skip();
    await store.createEvaluation(anEvaluation(), [aProblem()]);
    const body = aBody({ stdout: printed("kept") });
    await store.saveEntry(aLogEntry(), body);
    const again = await reopen();
    expect(await again.listEvaluations()).toEqual([anEvaluation()]);
    expect(await collect(again.entries(anEvaluation().id))).toEqual([aLogEntry()]);
    expect(await again.readBody(anEvaluation().id, aRunId(0), 1)).toEqual(body);
    expect(await again.saveEntry(aLogEntry(), aBody())).toBe("already-there");
  });

  test(`${name}: closing twice is fine`, async () => {
    const store = await stores.empty();
    await store.close();
    await store.close();
  });
}
