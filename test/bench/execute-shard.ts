import { withDurableExecution } from "@aws/durable-execution-sdk-js";
import { LocalDurableTestRunner } from "@aws/durable-execution-sdk-js-testing";
import { shardWorkflow } from "../../src/engine/cloud/shard-workflow.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { anEvaluation, aProblem } from "../fixtures/records/a-log-entry.ts";

export interface ExecutedShard {
  readonly operations: number;
  /** How often the shard was woken up, and walked through what it had done. */
  readonly resumes: number;
  /** Of the thread that the shard runs in; AWS's local runner keeps the state in another one. */
  readonly cpuMs: number;
  readonly historyBytes: number;
}

/** A shard whose runs take no time of their own and end one after another. */
export async function executeShard(runs: number, runsInFlight: number): Promise<ExecutedShard> {
  const store = memoryStore();
  const record = anEvaluation({
    models: [{ providerKey: "scripted", model: "a" }],
    trials: runs,
    problemCount: 1,
  });
  await store.createEvaluation(record, [aProblem()]);
  let turn = Promise.resolve();
  const inTurn = () => {
    turn = turn.then(() => systemClock.sleep(2));
    return turn.then(() => "ended");
  };
  const shard = new LocalDurableTestRunner({
    handlerFunction: withDurableExecution(
      shardWorkflow({
        store,
        clock: systemClock,
        runner: "runner",
        aggregator: "aggregator",
        tenants: "per-model",
      }),
    ),
  });
  shard.registerFunction("runner", inTurn).registerFunction("aggregator", async () => ({}));
  const before = process.threadCpuUsage();
  const payload = { v: 1, evaluationId: record.id, round: 1, shard: 0, runsInFlight };
  const execution = await shard.run({ payload });
  const { user, system } = process.threadCpuUsage(before);
  return {
    operations: execution.getOperations().length,
    resumes: execution.getInvocations().length,
    cpuMs: (user + system) / 1_000,
    historyBytes: JSON.stringify(execution.getHistoryEvents()).length,
  };
}
