import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_TOKENS } from "../../../src/domain/run/amounts.ts";
import type { FailureCause } from "../../../src/domain/run/failure.ts";
import { type CallUsage, costNanoUsd, MAX_RUN_USD } from "../../../src/domain/run/usage.ts";
import { foldShard, ShardStats } from "../../../src/domain/stats/shard-stats.ts";
import { ModelStats } from "../../../src/domain/stats/stats.ts";
import { Meter } from "../../../src/engine/run/meter.ts";
import { FromChild, ReportedUsage } from "../../../src/isolation/isolation.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Hostile } from "../../fixtures/evals/hostile-usage.eval.ts";
import { aProject } from "../../fixtures/files/a-project.ts";
import { runFile } from "../../fixtures/run/run-file.ts";
import { runInProcess } from "../../fixtures/run/run-in-process.ts";

const TOO_MUCH = [`${MAX_TOKENS + 1}`, "9007199254740991", "9007199254740992", "1e300"];
const NO_COUNT = ["-1", "0.5", "NaN", "1e999", '"many"'];
const NAMES = Object.keys(ReportedUsage.shape);

const problemsOf = (by: Hostile["by"], all: readonly string[]): Hostile[] =>
  all.map((tokens, at) => ({ by, name: NAMES[at % NAMES.length] ?? "", tokens }));

/** Who says how much, and how the run ends. */
const CASES: readonly (readonly [problems: Hostile[], cause: FailureCause | null, message: RegExp])[] = [
  [
    NAMES.map((name) => ({ by: "agent", name, tokens: "9007199254740990" })),
    "limit",
    /^reportUsage reports 9007199254740990 /,
  ],
  [problemsOf("agent", TOO_MUCH), "limit", /a run may use at most 1000000000/],
  [problemsOf("frame", TOO_MUCH), "limit", /a run may use at most 1000000000/],
  [problemsOf("agent", NO_COUNT), "agent_error", /reportUsage: .* expected a whole number from 0/],
  [problemsOf("frame", NO_COUNT), "agent_error", /fd 3/],
  [problemsOf("provider", [...TOO_MUCH, ...NO_COUNT]), null, /^$/],
  [
    problemsOf("checker", TOO_MUCH),
    "checker_error",
    /while checking: reportUsage reports .* at most 1000000000/,
  ],
  [problemsOf("checker", NO_COUNT), "checker_error", /reportUsage: .* expected a whole number from 0/],
  [[{ by: "agent", name: "inputTokens", tokens: "5" }], null, /^$/],
  [[{ by: "agent", name: "inputTokens", tokens: "1e9" }], "limit", /a run may cost at most \$1000000/],
];

test.each(["sqlite", "memory"] as const)(
  "whatever tokens are reported, each run has an entry that can be read, and the stats are numbers: %s",
  async (kind) => {
    const store = kind === "sqlite" ? openSqliteStore(`${aProject()}/kept`) : memoryStore();
    const problems = CASES.flatMap(([all]) => all);
    const { logs, stats, record } = await runFile("hostile-usage", { problems }, { store });
    const expected = CASES.flatMap(([all, cause]) => all.map((problem) => ({ problem, cause })));
    const found = logs.map(({ problem, failure }) => ({ problem, cause: failure?.cause ?? null }));
    expect(found).toEqual(expected);
    const messages = CASES.flatMap(([all, , message]) => all.map(() => message));
    for (const [at, message] of messages.entries()) expect(logs[at]?.failure?.message ?? "").toMatch(message);
    // What was too much, or no count, is not in any sum.
    const [all] = Object.values(stats);
    expect(ModelStats.parse(all)).toMatchObject({
      ...{ finished: problems.length, inputTokens: MAX_TOKENS + 5, outputTokens: 0 },
      ...{ judgeInputTokens: 0, costUsd: 0.000_005 * 1e6 },
    });
    const shard = foldShard({ evaluationId: record.id, shard: 0, round: 1, from: 0, to: logs.length }, logs);
    expect(ShardStats.parse(JSON.parse(JSON.stringify(shard)))).toEqual(shard);
    await store.close();
  },
  60_000,
);

test("many reports that make sense end a run too, once they are too much together", async () => {
  const store = memoryStore();
  const { record } = await runInProcess(store, {
    buildAgent:
      () =>
      ({ reportUsage }) => {
        for (let report = 0; report < 3; report++) reportUsage({ outputTokens: MAX_TOKENS / 2 });
        return "Lima";
      },
  });
  expect(await Array.fromAsync(store.entries(record.id))).toMatchObject([
    {
      failure: {
        cause: "limit",
        message: expect.stringContaining("reports 1500000000 outputTokens in total"),
      },
      usage: { outputTokens: MAX_TOKENS },
      costUsd: null,
    },
  ]);
});

const tokens = fc.oneof(fc.nat(1_000), fc.maxSafeNat(), fc.double(), fc.constantFrom(-1, 2 ** 53, "7", null));
const message = fc.record({
  kind: fc.constant("usage"),
  usage: fc.dictionary(fc.constantFrom(...NAMES, "other"), tokens, { noNullPrototype: true }),
});

test("whatever frames a child sends, what is counted stays within what a run may use", () => {
  const price = fc.record({ input: fc.double({ min: 0, max: 1e6, noNaN: true }), output: fc.constant(1e6) });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), price, (frames, perMillion) => {
      const meter = new Meter();
      for (const frame of frames) {
        const { data } = FromChild.safeParse(JSON.parse(JSON.stringify(frame)));
        if (data?.kind !== "usage") continue;
        const usage = { ...NONE, ...data.usage } as CallUsage;
        if (meter.addUsage(usage, "it") === null) meter.addCost(costNanoUsd(usage, perMillion));
      }
      for (const count of Object.values(meter.usage ?? {})) {
        expect(Number.isInteger(count) && count >= 0 && count <= MAX_TOKENS).toBe(true);
      }
      expect(meter.costUsd ?? 0).toBeLessThanOrEqual(MAX_RUN_USD);
    }),
  );
});

const NONE = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
