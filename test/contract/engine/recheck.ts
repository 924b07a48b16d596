import { expect, test } from "vitest";
import type { EvaluationRecord } from "../../../src/domain/evaluation.ts";
import type { EvaluationId } from "../../../src/domain/ids.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import type { EvaluationOptions } from "../../../src/engine/definition/definition.ts";
import type { Store } from "../../../src/store/store.ts";
import { doubles } from "../../fixtures/run/doubling-evaluation.ts";
import { evaluateSteadily } from "../../fixtures/run/evaluate-steadily.ts";

/** An engine with a store, to which definitions are given as they are at the time. */
export interface CheckingEngine {
  readonly store: Store;
  /** From nothing to its end. */
  run(options: EvaluationOptions): Promise<EvaluationRecord>;
  check(options: EvaluationOptions, id: EvaluationId): Promise<EvaluationRecord>;
}

/** Ten problems, two models, two trials; the agents of `forbidden` ones must not run. */
const OPTIONS = doubles(10);
const forbidden = (changes: Partial<EvaluationOptions>): EvaluationOptions => ({
  ...OPTIONS,
  buildAgent: () => {
    throw new Error("an agent was built");
  },
  ...changes,
});

const lenient: EvaluationOptions["resultChecker"] = (result: number, expected: number) => ({
  correct: result >= expected,
  score: result === expected ? 1 : 0.5,
  reason: `${result} is at least ${expected}`,
});
const broken: EvaluationOptions["resultChecker"] = () => {
  throw new Error("a broken checker");
};

/** What every engine promises of results that are checked again. */
export function recheckTests(open: () => Promise<CheckingEngine>): void {
  test("a changed checker gives the stats of an evaluation that had it from the start, and no agent runs", async () => {
    const engine = await open();
    const first = await engine.run(OPTIONS);
    const record = await engine.check(forbidden({ resultChecker: lenient }), first.id);
    const stats = await evaluateSteadily({ ...OPTIONS, resultChecker: lenient });
    expect(record.stats).toEqual(stats);
    expect(record.stats).not.toEqual(first.stats);
    const { execution: _, ...same } = first;
    expect(record).toMatchObject({ ...same, round: 2, stats, recheck: { round: 2, unchecked: 0 } });
    expect(await engine.store.findEvaluation(first.id)).toEqual(record);
  });

  test("each check is an entry of its own, and what came before is kept", async () => {
    const engine = await open();
    const { id } = await engine.run(OPTIONS);
    const before = await Array.fromAsync(engine.store.entries(id));
    await engine.check(forbidden({ resultChecker: lenient }), id);
    await engine.check(forbidden({ resultChecker: () => null }), id);
    for (const entry of before) {
      const rounds = await engine.store.rounds(id, entry.runId);
      const told = rounds.map(({ round, recheckOf, correct }) => [round, recheckOf, correct]);
      expect(rounds[0]).toEqual(entry);
      if (entry.failure !== null) expect(told).toEqual([[1, null, null]]);
      else
        expect(told).toEqual([
          [1, null, entry.correct],
          [2, 1, true],
          [3, 1, null],
        ]);
      expect(await bodyOf(engine.store, rounds.at(-1))).toEqual(await bodyOf(engine.store, entry));
    }
  });

  test("a checker that breaks leaves a checker_error, and the next one makes it good", async () => {
    const engine = await open();
    const first = await engine.run(OPTIONS);
    const worse = await engine.check(forbidden({ resultChecker: broken }), first.id);
    const causes = new Set<string>();
    for await (const { failure } of engine.store.entries(first.id)) causes.add(failure?.cause ?? "answered");
    expect(causes).toEqual(new Set(["checker_error", "agent_error"]));
    expect(worse).toMatchObject({ status: "finished", recheck: { unchecked: 0 } });
    const again = await engine.check(forbidden({}), first.id);
    expect(again.stats).toEqual(first.stats);
  });

  test("an evaluation without a result to check ends as it was", async () => {
    const engine = await open();
    const { buildAgent: _, ...rest } = OPTIONS;
    const failing = forbidden({ ...rest, problems: [1, 2] });
    const first = await engine.run(failing);
    const record = await engine.check(failing, first.id);
    expect(record).toMatchObject({ status: "finished", stats: first.stats, round: 2 });
  });
}

const bodyOf = (store: Store, entry: LogEntry | undefined) =>
  entry === undefined ? null : store.readBody(entry.evaluationId, entry.runId, entry.round, entry.index);
