import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { DefinitionBundle } from "../../bundle/bundle.ts";
import type { GatewayPass } from "../../domain/gateway-access.ts";
import type { Limits } from "../../domain/limits.ts";
import type { Redactor } from "../../domain/redact.ts";
import { ChildHandle, type Echo } from "./child-handle.ts";
import { type Access, bareEnvironment, childEnvironment, maySpawn, nodeFlags } from "./permissions.ts";
import { readablePaths } from "./readable.ts";
import { makeTempRoot } from "./temp-root.ts";

/** What the processes that run agents, or those that check, may do and see. */
interface ChildMeans {
  readonly access: Access;
  /** The evaluator's variables that they may see. */
  readonly allowedVariables: readonly string[];
  /** Lets each of them call models over HTTP. */
  readonly issuePass?: (() => GatewayPass) | undefined;
}

export interface ChildProcessesSpec {
  readonly bundle: DefinitionBundle;
  readonly childArgs: readonly string[];
  readonly means: { readonly run: ChildMeans; readonly check: ChildMeans };
  readonly limits: Limits;
  /** The evaluator's own variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly redactor: Redactor;
  readonly reaperFile: string;
  readonly echo?: Echo;
}

/** Starts children and sees to it that none of them outlives the evaluation. */
export class ChildProcesses {
  readonly #spec: ChildProcessesSpec;
  readonly #token = randomUUID();
  readonly #live = new Set<ChildHandle>();
  #readable: readonly string[] | undefined;
  #tempRoot: string | undefined;
  #reaper: ReturnType<typeof startReaper> | undefined;
  #count = 0;

  constructor(spec: ChildProcessesSpec) {
    this.#spec = spec;
  }

  start(purpose: "run" | "check"): ChildHandle {
    // Nobody opens this process's debugger while runs could connect to it.
    if (this.#count === 0) process.on("SIGUSR1", ignore);
    const { bundle, limits, variables } = this.#spec;
    const { access, allowedVariables, issuePass } = this.#spec.means[purpose];
    this.#tempRoot ??= makeTempRoot();
    this.#readable ??= readablePaths(bundle.readable);
    const number = ++this.#count;
    const tempFolder = join(this.#tempRoot, String(number));
    const marker = `${this.#token}.${number};`;
    const pass = issuePass?.() ?? null;
    const child = new ChildHandle({
      bundleFile: bundle.file,
      args: this.#spec.childArgs,
      flags: nodeFlags({ ...access, read: [...this.#readable, ...access.read] }, limits, tempFolder),
      environment: childEnvironment(variables, allowedVariables, { marker, tempFolder, pass }),
      variables,
      cwd: this.#spec.cwd,
      tempFolder,
      marker,
      maySpawn: maySpawn(access),
      redactor: this.#spec.redactor,
      pass,
      echo: this.#spec.echo,
    });
    this.#live.add(child);
    this.#reaper ??= startReaper(this.#spec.reaperFile, this.#token, this.#tempRoot, variables);
    if (child.pid !== null) this.#reaper.started(child.pid);
    return child;
  }

  async end(child: ChildHandle, how: "polite" | "at-once"): Promise<void> {
    await child.end(how);
    this.#live.delete(child);
    if (child.pid !== null) this.#reaper?.ended(child.pid);
  }

  /** The processes that live on between runs. */
  pids(): number[] {
    return [...[...this.#live].map(({ pid }) => pid), this.#reaper?.pid].filter(
      (pid) => typeof pid === "number",
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#live].map((child) => this.end(child, "at-once")));
    this.#reaper?.close();
    process.off("SIGUSR1", ignore);
    if (this.#tempRoot !== undefined) rmSync(this.#tempRoot, { recursive: true, force: true });
  }
}

const ignore = (): void => {};

/** Starts the reaper, and gives the evaluator's end of the pipe to it. */
export function startReaper(
  file: string,
  token: string,
  tempRoot: string,
  variables: ChildProcessesSpec["variables"],
) {
  const reaper = spawn(process.execPath, ["--disable-sigusr1", file, token, tempRoot], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: bareEnvironment(variables),
  });
  // Without a reaper the evaluation still ends its own processes; only a killed evaluator would leave some.
  reaper.once("error", () => reaper.stdin?.destroy());
  reaper.unref();
  // A process for which no file number was left has none, whatever its type says.
  const input = reaper.stdin as ChildProcess["stdin"] | undefined;
  input?.on("error", () => input.destroy());
  if (input && "unref" in input && typeof input.unref === "function") input.unref();
  const say = (line: string) => input?.destroyed === false && input.write(`${line}\n`);
  return {
    pid: reaper.pid,
    started: (group: number) => say(`+${group}`),
    ended: (group: number) => say(`-${group}`),
    close: () => {
      say("bye");
      input?.end();
    },
  };
}
