import type { Writable } from "node:stream";
import { COMPILED } from "../bundle/files.ts";
import type { Json } from "../domain/json.ts";
import { encodeFrame, FrameReader } from "../isolation/frames.ts";
import type {
  CallAnswer,
  CallLink,
  FromChild,
  RunResponse,
  TaskServer,
  ToChild,
} from "../isolation/isolation.ts";

import type { DefinitionSource } from "./send-definition.ts";

const PIPE_FD = 3;
// Not imported: the facade of a built-in module costs every run milliseconds.
const { Socket } = process.getBuiltinModule("node:net");

/** The child's end of the pipe: serves runs and checks one after another until the parent closes it or kills us. */
export class ChildLink {
  readonly #pipe = new Socket({ fd: PIPE_FD, readable: true, writable: true });
  readonly #calls = new Map<number, (answer: CallAnswer) => void>();
  readonly #flushOutput: () => Promise<void>;
  readonly #tempFolder: string;
  #nextCall = 0;
  #stop = new AbortController();
  #server: TaskServer | null = null;
  #definition: DefinitionSource | null = null;

  /** `leave` ends this process, and `flushOutput` empties what it holds back of its output. */
  constructor(tempFolder: string, leave: () => void, flushOutput: () => Promise<void>) {
    this.#tempFolder = tempFolder;
    this.#flushOutput = flushOutput;
    const reader = new FrameReader((json) => this.#receive(JSON.parse(json.toString()) as ToChild), leave);
    this.#pipe.on("data", (chunk: Buffer) => reader.push(chunk));
    // The evaluator is gone: nobody wants the answer any more.
    this.#pipe.on("close", leave);
    this.#pipe.on("error", leave);
    // Until there is something to serve, only the user's own code keeps this process alive.
    this.#pipe.unref();
  }

  get isServing(): boolean {
    return this.#server !== null;
  }

  serve(server: TaskServer): void {
    this.#server = server;
    this.#pipe.ref();
    this.say({ kind: "ready" });
  }

  /** Says what a definition is, and then gives its problems. */
  serveDefinition(definition: DefinitionSource): void {
    this.#definition = definition;
    this.#pipe.ref();
    this.say(definition.describe());
  }

  /** Says that the file evaluates by itself, and waits for its end. */
  refuseDefinition(): void {
    this.#pipe.ref();
    this.say({ kind: "evaluates" });
  }

  say(message: FromChild): void {
    this.#write(JSON.stringify(message));
  }

  #write(json: string): void {
    this.#pipe.write(encodeFrame(json));
  }

  #receive(message: ToChild): void {
    switch (message.kind) {
      case "run":
        return void this.#run(message);
      case "check":
        return void this.#check(message);
      case "compile":
        return void this.#sayCompiled();
      case "more_problems":
        return void this.#definition?.more(message.most).then((problems) => this.say(problems));
      case "stop":
        return this.#stop.abort(new Error("the evaluator ended this run"));
      case "answer":
        this.#calls.get(message.id)?.(message.answer);
        this.#calls.delete(message.id);
        return;
      default:
        return message satisfies never;
    }
  }

  async #run({ task, maxResultBytes, gateway }: Extract<ToChild, { kind: "run" }>): Promise<void> {
    const answer = await this.#server?.run(task, maxResultBytes, {
      ...this.#beginTask(gateway),
      tempFolder: this.#tempFolder,
      step: (step) => this.say({ kind: "step", step }),
    });
    if (answer === undefined) return;
    await this.#flushOutput();
    this.#write(toFrame(answer));
  }

  async #sayCompiled(): Promise<void> {
    const read: unknown = Reflect.get(globalThis, Symbol.for(COMPILED));
    if (typeof read !== "function") return this.say({ kind: "compiled", code: "" });
    await this.#server?.rehearse();
    this.say({ kind: "compiled", code: Buffer.from(read()).toString("base64") });
  }

  async #check({ task, gateway }: Extract<ToChild, { kind: "check" }>): Promise<void> {
    const answer = await this.#server?.check(task, this.#beginTask(gateway));
    if (answer !== undefined) this.say(answer);
  }

  #beginTask(gateway: CallLink["gateway"]): CallLink {
    this.#stop = new AbortController();
    return {
      signal: this.#stop.signal,
      gateway,
      call: (providerKey, request, signal) => this.#call(providerKey, request, signal),
      usage: (usage, model) => this.say({ kind: "usage", usage, ...(model === undefined ? {} : { model }) }),
    };
  }

  #call(providerKey: string, request: Json, signal: AbortSignal): Promise<CallAnswer> {
    const id = this.#nextCall++;
    const answer = new Promise<CallAnswer>((resolve) => this.#calls.set(id, resolve));
    signal.addEventListener("abort", () => this.say({ kind: "drop_call", id }), { once: true });
    this.say({ kind: "call", id, providerKey, request });
    return answer;
  }
}

/** The result goes out as the text that was measured, not encoded once more. */
const toFrame = (answer: RunResponse): string =>
  answer.kind === "answered" ? `{"kind":"answered","result":${answer.resultText}}` : JSON.stringify(answer);

type Outputs = { readonly stdout: Writable; readonly stderr: Writable };

/**
 * Watches which outputs a process uses, and gives a function that resolves when all that went into them is out:
 * the process ends with its answer, and what it still held back would be lost.
 */
export function outputFlusher(from: Outputs): () => Promise<void> {
  const used = new Set<Writable>();
  for (const name of ["stdout", "stderr"] as const) {
    const { get: open } = Object.getOwnPropertyDescriptor(from, name) ?? {};
    if (open === undefined) continue;
    // Opening them takes a process milliseconds, and most agents print nothing.
    const get = () => {
      const stream: Writable = open.call(from);
      used.add(stream);
      return stream;
    };
    Object.defineProperty(from, name, { configurable: true, enumerable: true, get });
  }
  return async () => {
    for (const stream of used) if (stream.writableLength > 0) await flushed(stream);
  };
}

const flushed = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    if (stream.writableEnded || stream.destroyed) resolve();
    else stream.write("", () => resolve());
  });
