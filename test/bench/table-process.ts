import { fork } from "node:child_process";
import { once } from "node:events";
import { startDynalite } from "../fixtures/aws/aws-servers.ts";

export interface TableProcess {
  readonly endpoint: string;
  stop(): void;
}

/** A DynamoDB API in a process of its own: in a cloud the table takes no time of those who ask it. */
export async function startTableProcess(): Promise<TableProcess> {
  const child = fork(import.meta.filename);
  const [endpoint] = await once(child, "message");
  return { endpoint: String(endpoint), stop: () => void child.kill() };
}

if (import.meta.main) {
  const { endpoint, stop } = await startDynalite();
  process.once("disconnect", () => void stop());
  process.send?.(endpoint);
}
