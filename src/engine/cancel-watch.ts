import type { Clock } from "../domain/clock.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { Store } from "../store/contract.ts";

const POLL_MS = 1_000;

export interface CancelWatch extends AsyncDisposable {
  /** Aborted when somebody, in whatever process, has asked to cancel this round. */
  readonly signal: AbortSignal;
}

export function watchForCancel(
  store: Pick<Store, "isCancelRequested">,
  { id, round }: Pick<EvaluationRecord, "id" | "round">,
  clock: Clock,
): CancelWatch {
  const asked = new AbortController();
  const ended = new AbortController();
  const isOver = () => ended.signal.aborted || asked.signal.aborted;
  const watch = async (): Promise<void> => {
    while (!isOver()) {
      // A store that cannot be read is found out by whoever saves the next entry.
      if (await store.isCancelRequested(id, round).catch(() => false)) asked.abort();
      if (!isOver()) await clock.sleep(POLL_MS, ended.signal).catch(() => {});
    }
  };
  const watching = watch();
  return {
    signal: asked.signal,
    async [Symbol.asyncDispose]() {
      ended.abort();
      await watching;
    },
  };
}
