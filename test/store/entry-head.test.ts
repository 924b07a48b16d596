import { expect, test } from "vitest";
import { toEntryHead } from "../../src/store/entry-head.ts";
import { aLogEntry } from "../fixtures/records/a-log-entry.ts";

test("what only the entry has is not cut to keep a result that its body has too", () => {
  const result = "r".repeat(4_000);
  const reason = "because ".repeat(240);
  const metadata = { notes: "n".repeat(2_000) };
  const printed = { head: "p".repeat(1_500), bytes: 1_500 };
  const entry = aLogEntry({ stdout: printed, result, reason, metadata, correct: false });
  const head = toEntryHead(entry);
  expect(head).toMatchObject({ reason, metadata, result: null });
});
