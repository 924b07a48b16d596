import { Gateway } from "../../src/gateway/gateway.ts";
import { builtInProviders } from "../../src/providers/built-in.ts";
import { dynamoStore } from "../../src/store/dynamo/dynamo-store.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { startAwsServers } from "../fixtures/aws/aws-servers.ts";
import { startLimitedServer } from "./limited-server.ts";
import { startTableProcess } from "./table-process.ts";

/** 200 gateways, as many as runners of an account, and a provider that takes a fixed number of calls a second. */
const GATEWAYS = 200;
const CALLS_PER_SECOND = Number(process.env.BENCH_CALLS ?? 50);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 120);
// The rules are measured over a table in memory; `BENCH_TABLE=dynamo` puts a DynamoDB API on loopback in its place.
const isInMemory = process.env.BENCH_TABLE !== "dynamo";

const server = await startLimitedServer(CALLS_PER_SECOND, CALLS_PER_SECOND, 1_000);
const tableProcess = isInMemory ? null : await startTableProcess();
const aws = tableProcess === null ? null : await startAwsServers(tableProcess.endpoint);
const table = aws === null ? null : await aws.createTable();
const shared = memoryStore();
const openStore = () =>
  aws === null || table === null
    ? shared
    : dynamoStore({ dynamo: aws.dynamo, table, s3: aws.s3, bucket: "bodies" });

async function callUntil(endMs: number): Promise<void> {
  const variables = { BENCH_BASE_URL: server.baseUrl, BENCH_API_KEY: "none" };
  const gateway = new Gateway({
    factory: builtInProviders({ clock: systemClock, variables, scripts: {} }),
    clock: systemClock,
    random: Math.random,
    fleet: openStore().fleetLimits,
  });
  const signal = AbortSignal.timeout(Math.max(0, Math.round(endMs - performance.now())));
  while (!signal.aborted) {
    await gateway.call({
      providerKey: "openai-compatible:bench",
      request: { model: "fixed", messages: [{ role: "user", content: "?" }] },
      ...{ signal, waitLeftMs: () => 600_000, onWaiting: () => {} },
    });
  }
}

function report(what: string, value: number, isMet: boolean, target: string): void {
  if (!isMet) process.exitCode = 1;
  console.log(`${what.padEnd(50)} ${(value * 100).toFixed(1)}%  (${target}, ${isMet ? "met" : "MISSED"})`);
}

try {
  const endMs = performance.now() + SECONDS * 1_000;
  await Promise.all(Array.from({ length: GATEWAYS }, () => callUntil(endMs)));
  const { counts, refused } = server.bucket;
  const goodput = counts.answered / (CALLS_PER_SECOND * SECONDS);
  console.log(
    `${GATEWAYS} gateways, ${isInMemory ? "a table in memory" : "a DynamoDB API"}, ${CALLS_PER_SECOND} calls/s, ${SECONDS} s from a cold start, ${counts.answered} answered`,
  );
  report("goodput of the provider's limit", goodput, goodput >= 0.9, "at least 90%");
  report("calls that were refused", refused, refused <= 0.02, "at most 2%");
} finally {
  server.close();
  await aws?.stop();
  tableProcess?.stop();
}
