import fc from "fast-check";
import { expect, test } from "vitest";
import { ProgressTracker, progressFrame } from "../../../src/cli/reporters/progress.ts";
import { drawLine, lineWidth } from "../../../src/cli/text/screen.ts";
import { ModelKey } from "../../../src/domain/model.ts";
import { failure } from "../../../src/domain/run/failure.ts";
import { aLogEntry } from "../../fixtures/records/a-log-entry.ts";

const STEADY = ModelKey.parse("scripted/steady");
const HASTY = ModelKey.parse("scripted/hasty");
const start = {
  name: "capitals",
  models: [STEADY, HASTY],
  total: 20,
  alreadyDone: 0,
  nowMs: 0,
};

function someProgress(changes: Partial<typeof start> = {}): ProgressTracker {
  const progress = new ProgressTracker({ ...start, ...changes });
  for (let run = 0; run < 6; run++) progress.runStarted();
  progress.add(aLogEntry());
  progress.add(aLogEntry({ correct: false }));
  progress.add(aLogEntry({ result: null, correct: null, failure: failure("timeout", "too slow") }));
  progress.add(aLogEntry({ model: "hasty", costUsd: null }));
  return progress;
}

const draw = (progress: ProgressTracker, columns: number, rows = 24) =>
  progressFrame(progress.view(8_000), { columns, rows }).map((line) =>
    drawLine(line, { columns, hasColor: false }).trimEnd(),
  );

test("the frame shows counts, tokens, cost and the time that is left", () => {
  expect(draw(someProgress(), 92)).toEqual([
    "capitals  4 of 20 runs, 2 running  8s, about 32s left",
    `scripted/steady  ${"━".repeat(9)}${"─".repeat(21)}   3/10  ✓ 1  ✗ 1  ! 1   36 tok  $0.000036`,
    `scripted/hasty   ${"━".repeat(3)}${"─".repeat(27)}   1/10  ✓ 1  ✗ 0  ! 0   12 tok  cost unknown`,
  ]);
});

test("a provider that takes fewer calls is named until it takes all again", () => {
  const progress = someProgress();
  progress.limited("openai", 14);
  progress.limited("huggingface:together", 3);
  progress.limited("openai", 12);
  expect(draw(progress, 120)[0]).toBe(
    "capitals  4 of 20 runs, 2 running, openai limited to 12, huggingface:together limited to 3  8s, about 32s left",
  );
  progress.limited("openai", null);
  expect(draw(progress, 120)[0]).toContain("2 running, huggingface:together limited to 3  8s");
});

test("a narrow terminal loses tokens, cost and bar, never the counts", () => {
  expect(draw(someProgress(), 44)[1]).toBe("scripted/steady   3/10  ✓ 1  ✗ 1  ! 1");
});

test("runs of an earlier execution say nothing about the speed", () => {
  expect(someProgress({ alreadyDone: 4 }).view(8_000).secondsLeft).toBeNull();
  expect(someProgress({ alreadyDone: 2 }).view(8_000).secondsLeft).toBe(64);
});

test("more models than rows are counted, not drawn", () => {
  const models = Array.from({ length: 40 }, (_, at) => ModelKey.parse(`scripted/model-${at}`));
  const frame = draw(new ProgressTracker({ ...start, models, total: 40 }), 80, 12);
  expect(frame.length).toBeLessThan(12);
  expect(frame.at(-1)).toBe("… and 32 more models");
});

test("no line of a frame is wider than the terminal once drawn, and bars never overflow", () => {
  const anyName = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
    .map((name) => `p/${name}` as ModelKey);
  fc.assert(
    fc.property(fc.array(anyName, { maxLength: 5 }), fc.integer({ min: 20, max: 200 }), (models, columns) => {
      const progress = new ProgressTracker({ ...start, models, total: models.length * 7 });
      const lines = progressFrame(progress.view(1_000), { columns, rows: 24 }).slice(1);
      if (columns >= 60) for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(columns);
    }),
  );
});
