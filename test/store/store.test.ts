import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { type LastingStore, lastingStoreContract } from "../contract/store/lasting-store.ts";
import { storeContract } from "../contract/store/store.ts";

storeContract("memory", async () => {
  const store = memoryStore();
  return { store, end: () => store.close() };
});

storeContract("sqlite", openInTemporaryFolder);
lastingStoreContract("sqlite", openInTemporaryFolder);

async function openInTemporaryFolder(): Promise<LastingStore> {
  const folder = await mkdtemp(join(tmpdir(), "store-"));
  let store = openSqliteStore(join(folder, "deep", "inside"));
  return {
    store,
    reopen: async () => {
      await store.close();
      store = openSqliteStore(join(folder, "deep", "inside"));
      return store;
    },
    end: async () => {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
