import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { Duplex, PassThrough, type Readable } from "node:stream";
import type { GatewayPass } from "../../domain/gateway-access.ts";
import type { Redactor } from "../../domain/redact.ts";
import { encodeFrame, FrameReader, MAX_FRAME_BYTES, type Violation } from "../frames.ts";
import type { FromChild, ToChild } from "../isolation.ts";
import { OutputCapture } from "./output-capture.ts";
import { killRunProcesses, signalGroup } from "./processes.ts";
import { readMessage } from "./read-message.ts";

const TERM_GRACE_MS = 500;
/** Time that the pipes of a dead process get to empty. */
const DRAIN_MS = 2_000;

interface ChildSpec {
  readonly bundleFile: string;
  readonly args: readonly string[];
  readonly flags: readonly string[];
  readonly environment: Record<string, string>;
  /** The evaluator's own, of which the child has some. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly tempFolder: string;
  readonly marker: string;
  readonly maySpawn: boolean;
  /** Takes secrets out of what the child prints. */
  readonly redactor: Redactor;
  readonly pass: GatewayPass | null;
  /** Hears what it prints as it comes. */
  readonly echo?: Echo | undefined;
}

/** Hears what a child prints. */
export type Echo = (name: "stdout" | "stderr", chunk: Buffer) => unknown;

export interface ChildListener {
  message(message: FromChild): void;
  /** It sent something wrong, or would have to be sent too much. */
  violated(violation: Violation): void;
  printed(bytes: number): void;
  exited(exit: Exit): void;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The process could not even be started. */
  readonly error: NodeJS.ErrnoException | null;
}

/** The evaluator's side of one child process; the task that uses it at the moment listens to it. */
export class ChildHandle {
  readonly pid: number | null;
  readonly spec: ChildSpec;
  stdout: OutputCapture;
  stderr: OutputCapture;
  exit: Exit | null = null;
  readonly #process: ChildProcess;
  readonly #pipe: Duplex;
  readonly #reader: FrameReader;
  readonly #closed: Promise<void>;
  #listener: ChildListener | null = null;
  #backlog: ((listener: ChildListener) => void)[] = [];
  #quota = new PipeQuota();
  #drained = 0;

  constructor(spec: ChildSpec) {
    mkdirSync(spec.tempFolder, { recursive: true });
    const child = spawn(process.execPath, [...spec.flags, spec.bundleFile, ...spec.args], {
      cwd: spec.cwd,
      env: spec.environment,
      // Its own session: Ctrl-C does not reach it, and everything in it can be ended at once.
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    this.#process = child;
    this.pid = child.pid ?? null;
    this.spec = spec;
    this.stdout = new OutputCapture(spec.redactor);
    this.stderr = new OutputCapture(spec.redactor);
    this.#reader = new FrameReader(
      (json) => this.#receive(json),
      (violation) => this.#refuse(violation),
    );
    this.#pipe = pipeOf(child);
    this.#listenToPipe(this.#pipe);
    this.#captureOutput(child.stdout, (chunk) => {
      this.stdout.push(chunk);
      spec.echo?.("stdout", chunk);
    });
    this.#captureOutput(child.stderr, (chunk) => {
      this.stderr.push(chunk);
      spec.echo?.("stderr", chunk);
    });
    this.#closed = new Promise((resolve) => child.once("close", () => resolve()));
    child.once("error", (error) => this.#exited({ code: null, signal: null, error }));
    child.once("exit", (code, signal) => this.#exited({ code, signal, error: null }));
  }

  /** Begins with what arrived while nobody listened. */
  listen(listener: ChildListener | null): void {
    this.#listener = listener;
    if (listener === null) return;
    const backlog = this.#backlog;
    this.#backlog = [];
    for (const report of backlog) report(listener);
  }

  send(message: ToChild): void {
    if (message.kind === "answer") this.#quota.answered(message.id);
    if (this.exit !== null || !this.#pipe.writable) return;
    const frame = encodeFrame(JSON.stringify(message));
    if (frame.length <= MAX_FRAME_BYTES) this.#pipe.write(frame);
    else
      this.#refuse({
        cause: "limit",
        why: `would be sent ${frame.length} bytes, more than a message may have`,
      });
  }

  /** Counts output and messages anew, for a process that serves one task after another. */
  beginTask(): void {
    this.#quota = new PipeQuota();
    this.stdout = new OutputCapture(this.spec.redactor);
    this.stderr = new OutputCapture(this.spec.redactor);
  }

  /** Says whether its temp folder is as it was given to it, so that no later task finds or pays for what is in it. */
  hasCleanFolder(): boolean {
    try {
      return readdirSync(this.spec.tempFolder).length === 0;
    } catch {
      return false;
    }
  }

  /** Resolves when what the child had printed before its last message has been read. */
  async drainOutput(): Promise<void> {
    let seen = -1;
    while (seen !== this.#drained) {
      seen = this.#drained;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Ends it and everything it started: politely first if asked, then for certain. */
  async end(how: "polite" | "at-once"): Promise<void> {
    this.#reader.stop();
    if (how === "polite" && this.exit === null) await this.#endPolitely();
    this.#kill();
    if (this.pid !== null) await this.#closedWithin(DRAIN_MS);
    if (this.spec.maySpawn) killRunProcesses(this.pid, this.spec.marker);
    this.#pipe.destroy();
    this.#process.stdout?.destroy();
    this.#process.stderr?.destroy();
    removeFolder(this.spec.tempFolder);
  }

  async #endPolitely(): Promise<void> {
    this.send({ kind: "stop" });
    if (this.pid !== null) signalGroup(this.pid, "SIGTERM");
    await this.#closedWithin(TERM_GRACE_MS);
  }

  #kill(): void {
    if (this.pid === null) return;
    // After its leader is gone a group may live on, but only if the leader could start others.
    if (this.exit === null || this.spec.maySpawn) signalGroup(this.pid, "SIGKILL");
  }

  async #closedWithin(ms: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([this.#closed, late]);
    clearTimeout(timer);
  }

  #listenToPipe(pipe: Duplex): void {
    pipe.on("data", (chunk: Buffer) => this.#guard(() => this.#reader.push(chunk)));
    pipe.on("end", () => this.#guard(() => this.#reader.end()));
    // A child that dies while we write to it is reported by its exit.
    pipe.on("error", () => pipe.destroy());
  }

  #captureOutput(stream: Readable | null | undefined, keep: (chunk: Buffer) => void): void {
    stream?.on("data", (chunk: Buffer) => {
      this.#drained++;
      this.#guard(() => {
        keep(chunk);
        this.#listener?.printed(this.stdout.bytes + this.stderr.bytes);
      });
    });
    stream?.on("error", () => stream.destroy());
  }

  #receive(json: Buffer): void {
    const read = readMessage(json);
    if (read.kind === "violation") return this.#refuse(read.violation);
    if (!this.#quota.mayHold(read.message, json.length))
      return this.#refuse({ cause: "limit", why: `sent more than ${MAX_HELD_MB} MB` });
    this.#tell((listener) => this.#guard(() => listener.message(read.message)));
  }

  /** Ends the task of this child, and no other, when what it sent or printed makes our own code throw. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#refuse({ cause: "crashed", why: String(error) });
    }
  }

  #refuse(violation: Violation): void {
    this.#reader.stop();
    this.#tell((listener) => listener.violated(violation));
  }

  #exited(exit: Exit): void {
    if (this.exit !== null) return;
    this.exit = exit;
    // Messages that are still in the pipe come first: an answer followed by an exit is an answer.
    const tell = () => this.#tell((listener) => listener.exited(exit));
    if (this.#pipe.readableEnded || this.#pipe.destroyed) {
      this.#pipe.destroy();
      return tell();
    }
    this.#pipe.once("close", tell);
    const late = setTimeout(() => this.#pipe.destroy(), DRAIN_MS);
    this.#pipe.once("close", () => clearTimeout(late));
  }

  #tell(tell: (listener: ChildListener) => void): void {
    if (this.#listener === null) this.#backlog.push(tell);
    else tell(this.#listener);
  }
}

/** A process for which no file number was left has no pipes, whatever its type says. */
function pipeOf(child: ChildProcess): Duplex {
  const pipe = (child.stdio as ChildProcess["stdio"] | undefined)?.[3];
  return pipe instanceof Duplex ? pipe : new PassThrough().destroy();
}

/** Most runs leave it empty, and then one call is enough. */
function removeFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    rmSync(folder, { recursive: true, force: true });
  }
}

const MB = 1024 * 1024;
/** More than this is a flood, whatever it says. */
const MAX_HELD_MB = 256;

/** Counts the bytes of one task that may still be held: everything that came but the answered model calls. */
export class PipeQuota {
  readonly #calls = new Map<number, number>();
  #heldBytes = 0;

  mayHold(message: FromChild, bytes: number): boolean {
    this.#heldBytes += bytes;
    if (message.kind === "call") this.#calls.set(message.id, bytes);
    return this.#heldBytes <= MAX_HELD_MB * MB;
  }

  answered(call: number): void {
    this.#heldBytes -= this.#calls.get(call) ?? 0;
    this.#calls.delete(call);
  }
}
