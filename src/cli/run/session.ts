import type { Source } from "../compare/read-source.ts";
import type { Host } from "../host.ts";
import type { Interruption } from "../interruption.ts";
import type { LazyStore } from "../lazy-store.ts";
import type { Line } from "../text/line.ts";
import type { RunFlags } from "./run-flags.ts";

/** One call of `run`: what all its evaluations share. */
export interface Session {
  readonly host: Host;
  readonly flags: RunFlags;
  readonly store: LazyStore;
  readonly interruption: Interruption;
  /** What the models are compared with; null until it is read, or when there is none. */
  baseline: Source | null;
  /** Variables that `.env` set, and may set anew. */
  readonly fromEnvFile: Set<string>;
  /** Nothing to stop: it only waits for a file to change. */
  isIdle: boolean;
  /** Where a lasting line goes at the moment; a reporter that draws takes it over. */
  note: (line: Line) => void;
}
