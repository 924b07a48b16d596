import { afterEach, describe, test } from "vitest";
import { bodyTests } from "./bodies.ts";
import { entryTests } from "./entries.ts";
import { evaluationTests } from "./evaluations.ts";
import { fleetLimitTests } from "./fleet-limits.ts";
import { type OpenedStore, StoreOpener } from "./opener.ts";
import { pageTests } from "./pages.ts";
import { rangeTests } from "./ranges.ts";
import { sealTests } from "./seals.ts";
import { signalTests } from "./signals.ts";

/** What every store promises; `open` gives an empty one. */
export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  const stores = new StoreOpener(open);
  afterEach(() => stores.endAll());

  describe(`${name}: evaluations`, () => evaluationTests(stores));
  describe(`${name}: entries`, () => entryTests(stores));
  describe(`${name}: heads and bodies`, () => bodyTests(stores));
  describe(`${name}: ranges and verdicts`, () => rangeTests(stores));
  describe(`${name}: pages`, () => pageTests(stores));
  describe(`${name}: seals`, () => sealTests(stores));
  describe(`${name}: signals`, () => signalTests(stores));
  describe(`${name}: fleet limits`, () => fleetLimitTests(stores));

  test(`${name}: closing twice is fine`, async () => {
    const store = await stores.empty();
    await store.close();
    await store.close();
  });
}
