import { expect, test } from "vitest";
import { plainReporter } from "../../../src/cli/reporters/plain.ts";
import type { Screen } from "../../../src/cli/text/screen.ts";
import { ModelKey } from "../../../src/domain/model.ts";
import { failure } from "../../../src/domain/run/failure.ts";
import { aLogEntry, anEvaluation } from "../../fixtures/records/a-log-entry.ts";

function log(total: number, alreadyDone = 0, entryOf = (index: number) => aLogEntry({ index })): string[] {
  const text: string[] = [];
  const screen: Screen = {
    isLive: false,
    hasColor: false,
    columns: Number.POSITIVE_INFINITY,
    rows: 24,
    write: (chunk) => void text.push(chunk),
    flushed: async () => {},
  };
  const { listener, stop } = plainReporter({ out: screen, warnings: screen }, () => 0);
  const models = [ModelKey.parse("scripted/steady")];
  listener.started?.({ record: anEvaluation(), total, alreadyDone, models });
  for (let index = 0; index < total; index++) listener.entry?.(entryOf(index));
  stop();
  return text.join("").trimEnd().split("\n");
}

test("a small evaluation has a line per run", () => {
  expect(log(2)).toEqual([
    "capitals  2 runs of 1 model  capitals-1",
    '1/2  ✓ scripted/steady  Capital of France?  {"value":"Paris"}  250ms',
    '2/2  ✓ scripted/steady  Capital of France?  {"value":"Paris"}  250ms',
  ]);
});

test("a large evaluation has a line per twentieth", () => {
  const lines = log(10_000);
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toContain("10000 of 10000 runs");
});

test("runs that were done before are not told again", () => {
  expect(log(3, 2)).toHaveLength(2);
});

test.each([
  [3, "! 2 runs were not started: budget", 3],
  [2, "! 1 run was not started: budget", 3],
  [10_000, "! 9999 runs were not started: budget", 2],
])("of %i runs those that never started share a line", (total, last, count) => {
  const stopped = { correct: null, attempts: [], failure: failure("budget", "the budget was spent") };
  const lines = log(total, 0, (index) => aLogEntry({ index, ...(index === 0 ? {} : stopped) }));
  expect(lines.at(-1)).toBe(last);
  expect(lines).toHaveLength(count);
});
