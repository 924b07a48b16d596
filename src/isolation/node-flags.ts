import type { Limits } from "../domain/limits.ts";

export interface Access {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly spawn: boolean;
  readonly addons: boolean;
  /** No permission model at all. */
  readonly trusted: boolean;
}

/** Node's own flags for a run's process: its memory, and what it may touch. */
export function nodeFlags(access: Access, limits: Pick<Limits, "memoryMb">, tempFolder: string): string[] {
  const basics = [
    `--max-old-space-size=${limits.memoryMb}`,
    // A signal from elsewhere would open its debugger to everybody on this machine.
    "--disable-sigusr1",
    // A script bundle imports with a part of Node that warns of being young.
    "--disable-warning=ExperimentalWarning",
  ];
  if (access.trusted) return basics;
  return [
    ...basics,
    "--permission",
    // What follows writes files past it: databases, V8's flags, traces, and memory that has run out.
    "--no-experimental-sqlite",
    "--freeze-flags-after-init",
    "--trace-event-file-pattern=/dev/null",
    `--diagnostic-dir=${tempFolder}`,
    // Node warns that spawn and addons weaken the model; the definition asked for them.
    "--disable-warning=SecurityWarning",
    ...[...access.read, tempFolder].map((path) => `--allow-fs-read=${path}`),
    ...[...access.write, tempFolder].map((path) => `--allow-fs-write=${path}`),
    ...(access.spawn ? ["--allow-child-process"] : []),
    ...(access.addons ? ["--allow-addons"] : []),
  ];
}

/** Without these a run's process cannot start another one, so nothing has to be searched for when it ends. */
export const maySpawn = (access: Access): boolean => access.spawn || access.addons || access.trusted;
