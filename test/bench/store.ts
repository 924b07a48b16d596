import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAwsServers } from "../fixtures/aws/aws-servers.ts";
import { measure } from "./measure.ts";

// Every child has a heap of this size, so that whoever holds all entries at once dies.
const HEAP_MB = 128;
const TARGET = 1.3;
const WORK = join(import.meta.dirname, "store-work.ts");
const folder = mkdtempSync(join(tmpdir(), "agent-evaluator-bench-"));
const aws = await startAwsServers();

async function keep(backend: "sqlite" | "dynamo", entries: number): Promise<number> {
  const place = backend === "sqlite" ? [join(folder, String(entries))] : await dynamoPlace();
  const flags = ["--disable-warning=ExperimentalWarning", `--max-old-space-size=${HEAP_MB}`];
  const { peakRssMb, output } = await measure([...flags, WORK, backend, String(entries), ...place]);
  console.log(output.split("\n").slice(0, -3).join("\n"));
  if (backend === "sqlite") rmSync(join(folder, String(entries)), { recursive: true });
  return peakRssMb;
}

const dynamoPlace = async () => [await aws.createTable(), aws.dynamoEndpoint, aws.s3Server.endpoint];

async function compare(backend: "sqlite" | "dynamo", few: number, many: number): Promise<void> {
  const fewMb = await keep(backend, few);
  const manyMb = await keep(backend, many);
  const ratio = manyMb / fewMb;
  const verdict = ratio <= TARGET ? "met" : "OVER";
  if (ratio > TARGET) process.exitCode = 1;
  console.log(
    `${backend}: peak RSS at ${many.toLocaleString("en")} entries / at ${few.toLocaleString("en")}: ` +
      `${ratio.toFixed(2)} ×  (at most ${TARGET}, ${verdict})  ${manyMb.toFixed(0)} MB against ${fewMb.toFixed(0)} MB\n`,
  );
}

const scale = Number(process.env.BENCH_SCALE ?? 1);

try {
  await compare("dynamo", 2_000 * scale, 10_000 * scale);
  await compare("sqlite", 100_000 * scale, 1_000_000 * scale);
} finally {
  await aws.stop();
  rmSync(folder, { recursive: true, force: true });
}
