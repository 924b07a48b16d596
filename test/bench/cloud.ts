import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalDurableTestRunner } from "@aws/durable-execution-sdk-js-testing";
import { dynamoStore } from "../../src/store/dynamo/dynamo-store.ts";
import { startAwsServers } from "../fixtures/aws/aws-servers.ts";
import { countAws } from "../fixtures/aws/count-aws.ts";
import { evaluateInCloud } from "../fixtures/cloud/evaluate-in-cloud.ts";
import { buildFunction } from "../fixtures/functions/build-function.ts";
import { doubles } from "../fixtures/run/doubling-evaluation.ts";
import { costOf, MEMORY_MB } from "./cloud-prices.ts";
import { executeShard } from "./execute-shard.ts";

const FUNCTIONS = ["api", "orchestrator", "runner", "aggregator", "schedule"];
const SHARD_SIZES = [50, 100, 250, 500];
const PROBLEMS = 125;

await LocalDurableTestRunner.setupTestEnvironment({ skipTime: false });
const folder = mkdtempSync(join(tmpdir(), "agent-evaluator-bench-"));
const aws = await startAwsServers();
try {
  await reportSizes();
  await reportReplays();
  await reportCost();
} finally {
  await LocalDurableTestRunner.teardownTestEnvironment();
  await aws.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function reportSizes(): Promise<void> {
  console.log("code of each function, minified");
  for (const name of FUNCTIONS) {
    const bytes = await buildFunction(name, folder);
    console.log(`  ${name.padEnd(14)}${(bytes / 1024).toFixed(0).padStart(6)} KB`);
  }
}

/** The same work in shards of several sizes: what each resume walks through grows with the shard. */
async function reportReplays(): Promise<void> {
  console.log("\norchestration alone, 10 runs in flight: shard size, operations, resumes, CPU");
  for (const runs of SHARD_SIZES) {
    const { operations, resumes, cpuMs, historyBytes } = await executeShard(runs, 10);
    console.log(
      `  ${String(runs).padStart(4)} runs ${String(operations).padStart(5)} operations ${String(resumes).padStart(4)} resumes ` +
        `${(cpuMs / runs).toFixed(2)} ms a run  ${(cpuMs / resumes).toFixed(1)} ms a resume  ` +
        `${(historyBytes / runs / 1024).toFixed(2)} KB of state a run`,
    );
  }
}

/** What a thousand runs cost, from operations and bytes that were counted. */
async function reportCost(): Promise<void> {
  const table = await aws.createTable();
  const counted = countAws(aws.dynamo, aws.s3);
  const store = dynamoStore({ dynamo: aws.dynamo, table, s3: aws.s3, bucket: "bodies" });
  const { record, executed } = await (await evaluateInCloud(doubles(PROBLEMS), store)).run();
  const runs = record.problemCount * record.models.length * record.trials;
  const executions = [executed.execution, ...executed.shards];
  const operations = executions.reduce((sum, execution) => sum + execution.getOperations().length, 0);
  const stateBytes = executions.reduce(
    (sum, execution) => sum + JSON.stringify(execution.getHistoryEvents()).length,
    0,
  );
  console.log(
    `\ncost of 1,000 runs of 20 s with ${MEMORY_MB} MB, tokens aside, from ${runs} that were counted`,
  );
  let total = 0;
  for (const [what, amount, usd] of costOf({ ...counted(), operations, stateBytes }, 1_000 / runs)) {
    total += usd;
    console.log(`  ${what.padEnd(24)}${amount.padStart(16)}   $${usd.toFixed(4)}`);
  }
  console.log(`  ${"total".padEnd(24)}${"".padStart(16)}   $${total.toFixed(4)}`);
}
