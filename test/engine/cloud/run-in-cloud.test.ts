import { afterAll, beforeAll, expect, test } from "vitest";
import { METRICS } from "../../../src/domain/cloud/settings.ts";
import { EvaluationId } from "../../../src/domain/ids.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import { runInCloud } from "../../../src/engine/cloud/run-in-cloud.ts";
import type { EvaluationOptions } from "../../../src/engine/definition/definition.ts";
import { dynamoStore } from "../../../src/store/dynamo/dynamo-store.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { type AwsServers, startAwsServers } from "../../fixtures/aws/aws-servers.ts";
import { publishedMetrics } from "../../fixtures/cloud/published-metrics.ts";
import { aBody, aLogEntry, anEvaluation, problemPart } from "../../fixtures/records/a-log-entry.ts";
import { doubles, openInProcess } from "../../fixtures/run/doubling-evaluation.ts";
import { aDynamoPlace } from "../../store/dynamo/a-dynamo-place.ts";

const ID = EvaluationId.parse("doubles-1");
const event = { v: 1, evaluationId: ID, round: 1, run: 0 };
const LONG = () => 900_000;

let servers: AwsServers;
beforeAll(async () => {
  servers = await startAwsServers();
});
afterAll(() => servers.stop());

test("a run is found by its number, executed and saved", async () => {
  const { run, entries } = await runner(doubles(3));
  expect(await run({ ...event, run: 7 })).toBe("ended");
  expect(entries).toMatchObject([{ index: 7, trial: 2, model: "fifths", problem: 1, correct: true }]);
});

test("a run that is delivered again finds its entry and does nothing", async () => {
  const { run, entries } = await runner(doubles(3));
  expect(await run(event)).toBe("ended");
  expect(await run(event)).toBe("ended");
  expect(entries).toHaveLength(1);
});

const sealed = { ...event, seal: "the key of the round" };

test("a signed run that is delivered again counts once, and nothing is foreign", async () => {
  const { run, entries, stored, store } = await runner(doubles(3));
  await Promise.all([run(sealed), run(sealed)]);
  expect(await run(sealed)).toBe("ended");
  expect(entries).toHaveLength(1);
  expect(await stored()).toMatchObject([{ pid: entries[0]?.pid }]);
  expect((await stored())[0]).not.toHaveProperty("wasForged");
  expect(await store.removeForeign(ID)).toEqual([]);
});

test("what an agent writes for its own run gives way to what the runner found", async () => {
  const { run, entries, stored } = await runner(doubles(3), (forge) => forge());
  expect(await run({ ...sealed, run: 1 })).toBe("ended");
  expect(entries).toHaveLength(1);
  expect(await stored()).toMatchObject([{ index: 1, wasForged: true, model: entries[0]?.model }]);
});

test("a run for which somebody wrote an entry before is run all the same", async () => {
  const { run, entries, stored, forge } = await runner(doubles(3));
  await forge();
  await run({ ...sealed, run: 1 });
  expect(entries).toMatchObject([{ index: 1, reason: null }]);
  expect(await stored()).toMatchObject([{ wasForged: true, reason: null }]);
});

test("in another round it is run again", async () => {
  const { run, entries } = await runner(doubles(3));
  await run(event);
  await run({ ...event, round: 2 });
  expect(entries.map(({ round }) => round)).toEqual([1, 2]);
});

test("a cancelled evaluation's run is not started, and leaves no entry", async () => {
  const { run, store, entries } = await runner(doubles(3));
  await store.requestCancel(ID, 1);
  expect(await run(event)).toBe("not-started");
  expect(entries).toEqual([]);
});

test("a run that waits until Lambda would end it leaves an entry before", async () => {
  const { run, entries } = await runner({
    ...doubles(1),
    buildAgent: () => () => new Promise(() => {}),
  });
  expect(await run(event, () => 10_050)).toBe("ended");
  expect(entries[0]?.failure).toMatchObject({ cause: "rate_limited", fault: "infrastructure" });
});

test("a checker that takes until then is the checker's failure", async () => {
  const { run, entries } = await runner({ ...doubles(1), resultChecker: () => new Promise(() => {}) });
  await run(event, () => 10_200);
  expect(entries[0]?.failure?.cause).toBe("checker_error");
});

test.each([
  [{ ...event, run: 12 }, "run.unknown"],
  [{ ...event, evaluationId: EvaluationId.parse("other") }, "evaluation.unknown"],
])("what is not there is refused: %j", async (wrong, code) => {
  const { run } = await runner(doubles(3));
  await expect(run(wrong)).rejects.toMatchObject({ code });
});

test("what a run used and how it ended is told to CloudWatch", async () => {
  const { run, entries } = await runner(doubles(1));
  await run(event);
  await run({ ...event, run: 2 });
  const lines = publishedMetrics(entries);
  expect(lines).toMatchObject([
    { [METRICS.runs]: 1, [METRICS.inputTokens]: 11, [METRICS.costUsd]: 0.00002, service: "agent-evaluator" },
    { [METRICS.runs]: 1, [METRICS.inputTokens]: 7, [METRICS.infrastructureFailures]: 0 },
    { [METRICS.failures]: 1, cause: "agent_error" },
  ]);
  // Nobody knows what the second model costs.
  expect(lines[1]).not.toHaveProperty(METRICS.costUsd);
});

/** `attack` happens in every agent; what it writes is about run 1, and not signed. */
async function runner(
  options: EvaluationOptions,
  attack: (forge: () => Promise<void>) => unknown = () => {},
) {
  const place = await aDynamoPlace(servers);
  const forge = async (): Promise<void> => {
    const [other] = await Array.fromAsync(store.problems(ID));
    if (other === undefined) throw new Error("no problem");
    const changes = { evaluationId: ID, index: 1, reason: "forged", ...problemPart(other) };
    await dynamoStore(place).saveEntry(aLogEntry(changes), aBody());
  };
  const buildAgent: EvaluationOptions["buildAgent"] = (...given) => {
    return async (context) => {
      const agent = await options.buildAgent(...given);
      await attack(forge);
      return typeof agent === "function" ? agent(context) : agent.run(context);
    };
  };
  const opened = await openInProcess({ ...options, buildAgent });
  const { problems, models, trials, limits } = opened.definition;
  const store = dynamoStore(place);
  const record = anEvaluation({
    ...{ id: ID, name: "doubles", models: [...models], trials, limits, problemCount: problems.length },
  });
  await store.createEvaluation(record, problems);
  const entries: LogEntry[] = [];
  const onEntry = (entry: LogEntry) => void entries.push(entry);
  const parts = { store, clock: systemClock, open: async () => opened, onEntry };
  const run = (input: unknown, remainingMs = LONG) => runInCloud(parts, input, remainingMs);
  const stored = () => Array.fromAsync(store.entries(ID));
  return { store, entries, run, stored, forge };
}
