import { expect, onTestFinished, test } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import { aBody, aLogEntry, anEvaluation, aProblem, aRunId } from "../../fixtures/records/a-log-entry.ts";
import { printed } from "../../fixtures/records/captured-output.ts";
import { collect } from "./collect.ts";
import type { OpenedStore } from "./opener.ts";

export interface LastingStore extends OpenedStore {
  /** Closes what is open and opens the same contents again. */
  readonly reopen: () => Promise<Store>;
}

/** What a store that outlives its process promises beside the rest. */
export function lastingStoreContract(name: string, open: () => Promise<LastingStore>): void {
  test(`${name}: what was saved is there after opening again`, async () => {
    const { store, reopen, end } = await open();
    onTestFinished(end);
    await store.createEvaluation(anEvaluation(), [aProblem()]);
    const body = aBody({ stdout: printed("kept") });
    await store.saveEntry(aLogEntry(), body);
    const again = await reopen();
    expect(await again.listEvaluations()).toEqual([anEvaluation()]);
    expect(await collect(again.entries(anEvaluation().id))).toEqual([aLogEntry()]);
    expect(await again.readBody(anEvaluation().id, aRunId(0), 1)).toEqual(body);
    expect(await again.saveEntry(aLogEntry(), aBody())).toBe("already-there");
  });
}
