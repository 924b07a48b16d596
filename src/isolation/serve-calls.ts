import type { ChildHandle } from "./child-process.ts";
import type { Host } from "./contract.ts";
import type { CallAnswer, FromChild } from "./messages.ts";

export interface CallServer {
  hear(message: Extract<FromChild, { kind: "call" | "drop_call" }>): void;
  /** Nobody waits for the answers any more. */
  dropAll(): void;
}

/** Takes a child's model calls to the host and the answers back. */
export function serveCalls(child: ChildHandle, host: Host): CallServer {
  const pending = new Map<number, AbortController>();
  const drop = (id: number) => pending.get(id)?.abort(new Error("the agent dropped the call"));
  return {
    hear(message) {
      if (message.kind === "drop_call") return drop(message.id);
      const { id, providerKey, request } = message;
      const stop = new AbortController();
      pending.set(id, stop);
      // Nobody waits for this promise, so what it rejects with would end the evaluation.
      const answered = host.call(providerKey, request, stop.signal).catch(asFailed);
      void answered.then((answer) => {
        pending.delete(id);
        child.send({ kind: "answer", id, answer });
      });
    },
    dropAll() {
      for (const id of pending.keys()) drop(id);
    },
  };
}

const asFailed = (error: unknown): CallAnswer => ({
  kind: "failed",
  code: "agent_error",
  message: `the model call could not be made: ${String(error)}`,
});
