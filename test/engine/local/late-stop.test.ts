import { expect, test } from "vitest";
import { runFile } from "../../fixtures/run/run-file.ts";

test("a stop that comes after the last run has ended stops nothing", async () => {
  const stop = new AbortController();
  let entries = 0;
  const { record, logs } = await runFile(
    "capitals",
    { onEntry: () => ++entries === 6 && stop.abort() },
    { signal: stop.signal },
  );
  expect(logs).toHaveLength(6);
  expect(record.status).toBe("finished");
});

test("a stop in the middle cancels", async () => {
  const stop = new AbortController();
  const { record } = await runFile(
    "capitals",
    { concurrency: 1, onEntry: () => stop.abort() },
    { signal: stop.signal },
  );
  expect(record.status).toBe("cancelled");
});
