import type { PathLike } from "node:fs";
import type { NetConnectOpts } from "node:net";

interface Confined
  extends Pick<
    NodeJS.Process,
    "pid" | "env" | "execArgv" | "report" | "getBuiltinModule" | "exit" | "listenerCount" | "nextTick"
  > {
  readonly permission?: { has(scope: string, reference?: string): boolean };
}

/** Node's codes for a signal and a file that the system refuses. */
const EPERM = -1;
const EACCES = -13;

const INSIDE = Symbol.for("agent-evaluator.inside");

// Agent code may replace what it can reach, even the methods of functions and texts.
const { apply, defineProperty, deleteProperty, get, getPrototypeOf } = Reflect;
const { includes } = String.prototype;

/**
 * Closes what Node's permission model leaves open: Lambda's Runtime API, copied links, reports and V8's flags, which
 * write files, and, as long as this process may not start others, which could do it all: signals and priorities of
 * others, sockets where it may not write, and folders that move while a name is followed.
 * It comes before any code of the user's, which could keep what it finds for later.
 */
export function stayInside(own: Confined): void {
  const { AWS_LAMBDA_RUNTIME_API: runtimeApi } = own.env;
  deleteProperty(own.env, "AWS_LAMBDA_RUNTIME_API");
  // A module bundle begins with this, and our child module asks for it again.
  if (own.permission === undefined || INSIDE in own) return;
  defineProperty(own, INSIDE, { value: true });
  const { has } = own.permission;
  if (runtimeApi !== undefined) keepFromRuntimeApi(own, runtimeApi);
  keepLinksBehind(own);
  ownUpToSignals(own);
  // V8 itself would end the process.
  replace(own.getBuiltinModule("node:v8"), "setFlagsFromString", () => refused("v8.setFlagsFromString"));
  // Such a report is written without asking, into any file.
  const set = refused("process.report.reportOnFatalError");
  defineProperty(own.report, "reportOnFatalError", { get: () => false, set });
  if (has("child")) keepPermissionsHome(own);
  else {
    keepSignalsHome(own);
    keepPrioritiesHome(own);
    keepSocketsHome(own, has);
    keepFoldersInPlace(own);
  }
  own.getBuiltinModule("node:module").syncBuiltinESMExports();
}

/**
 * Node hands its permissions on to every Node that it starts, which breaks npm and what it starts: programs do what
 * they like in any case, as they may be no Node.
 */
function keepPermissionsHome({ execArgv }: Confined): void {
  const others = execArgv.filter((flag) => !/^--(?:permission|allow-)/.test(flag));
  execArgv.splice(0, execArgv.length, ...others);
}

/**
 * Copying a folder in one piece copies its links too, through which files far outside could be written or deleted.
 * With a filter Node copies file by file, and refuses links; no filter gets at Node's options, which hold it.
 */
function keepLinksBehind(own: Confined): void {
  replace(
    own.getBuiltinModule("node:fs"),
    "cpSync",
    (copy) => (from: unknown, to: unknown, options?: { readonly filter?: unknown }) => {
      const given = { ...options };
      const { filter = () => true } = given;
      const ask = (...paths: unknown[]) => apply(filter as () => unknown, undefined, paths);
      return apply(copy, undefined, [
        from,
        to,
        { ...given, filter: typeof filter === "function" ? ask : filter },
      ]);
    },
  );
}

/** What somebody outside may end a process with; any other signal that ends one is taken for its own doing. */
// biome-ignore format: one line
const ENDING: Readonly<Record<number, string>> = { 1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 9: "SIGKILL", 15: "SIGTERM" };

/** A signal to itself that would end this process ends it as an exit does: from outside nobody sees who sent one. */
function ownUpToSignals(own: Confined): void {
  const { pid, listenerCount } = own;
  const exit = own.exit.bind(own);
  replace(own, "_kill", (send) => (target: number, signal: number) => {
    const name = ENDING[signal];
    const isOwn = target === 0 || target === pid || target === -pid;
    const isHeard = signal !== 9 && apply(listenerCount, own, [name]) > 0;
    if (isOwn && name !== undefined && !isHeard) exit(128 + signal);
    return apply(send, own, [target, signal]);
  });
}

/** With other processes' signals an agent could stop the evaluator, or open its debugger. */
function keepSignalsHome(own: Confined): void {
  const { pid } = own;
  replace(own, "_kill", (send) => (target: number, signal: number) => {
    const to = target | 0;
    return to === pid || to === 0 || to === -pid ? apply(send, own, [to, signal]) : EPERM;
  });
  deleteProperty(own, "_debugProcess");
}

function keepPrioritiesHome(own: Confined): void {
  const { pid } = own;
  replace(own.getBuiltinModule("node:os"), "setPriority", (set) => (target: number, priority?: number) => {
    const isOwn = priority === undefined || target === 0 || target === pid;
    return isOwn ? apply(set, undefined, [target, priority]) : refused("os.setPriority of other processes")();
  });
}

const PORTS = 65_536;

/**
 * Whoever reaches the API of the runner's runtime is given the event that is under way, and can answer in its place.
 * Names have become addresses here, and this machine has many; so its port is closed at all of them.
 */
function keepFromRuntimeApi(own: Confined, address: string): void {
  const closed = Number(/:(\d+)/.exec(address)?.[1]);
  const tcp = handlesOf(own, { host: "127.0.0.1", port: 1 });
  const unlessApi = (connect: Original) =>
    function (this: unknown, request: unknown, to: unknown, port: unknown) {
      // Asked once: the system takes what is like a number, and of it the last 16 bits.
      const asked = (port as number) >>> 0;
      return asked % PORTS === closed ? EACCES : apply(connect, this, [request, to, asked]);
    };
  replace(tcp, "connect", unlessApi);
  replace(tcp, "connect6", unlessApi);
}

/** All handles of one kind share one prototype, which only a socket leads to. */
function handlesOf(own: Confined, to: NetConnectOpts): object {
  const { Socket } = own.getBuiltinModule("node:net");
  const socket = new Socket().on("error", () => {}).connect(to);
  const handles = getPrototypeOf(Object(get(socket, "_handle"))) ?? {};
  socket.destroy();
  return handles;
}

/**
 * Node allows a name and the system follows it a moment later: what is relative, or has `..` in it, leads elsewhere
 * once this process or a folder has moved. So neither does, nor a link, which leads elsewhere from another place; a file
 * is moved at once, before it can become a folder.
 */
function keepFoldersInPlace(own: Confined): void {
  replace(own, "chdir", () => refused("process.chdir"));
  const fs = own.getBuiltinModule("node:fs");
  const { isUint8Array } = own.getBuiltinModule("node:util").types;
  const { fileURLToPath } = own.getBuiltinModule("node:url");
  const { Buffer: bytes } = own.getBuiltinModule("node:buffer");
  const { from: copy } = bytes;
  const { openSync, readSync, closeSync, renameSync } = fs;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  // Node asks what it is given for `byteLength` and `href`, and code of the agent's would answer, and act, before the file is moved.
  const one = new Uint8Array(1);
  defineProperty(one, "byteLength", { value: 1 });
  const nameOf = (given: PathLike): Buffer => {
    const path = typeof given === "string" || isUint8Array(given) ? given : fileURLToPath(given);
    const name = apply(copy, bytes, [path]);
    defineProperty(name, "href", { value: undefined });
    return name;
  };
  // The system itself refuses to open a link so, and to read a folder: what Node says of a file could be made up.
  const readOne = (path: Buffer) => {
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      readSync(file, one, 0, 1, 0);
    } finally {
      closeSync(file);
    }
  };
  const { nextTick } = own;
  const move = (from: PathLike, to: PathLike) => {
    const source = nameOf(from);
    const target = nameOf(to);
    try {
      readOne(source);
    } catch (error) {
      const { code } = Object(error);
      throw code === "EISDIR" || code === "ELOOP" ? refusal("fs.rename of folders and links") : error;
    }
    renameSync(source, target);
  };
  replace(fs, "renameSync", () => move);
  replace(fs.promises, "rename", () => async (from: PathLike, to: PathLike) => move(from, to));
  replace(fs, "rename", () => (from: PathLike, to: PathLike, done: (error: unknown) => void) => {
    let problem: unknown = null;
    try {
      move(from, to);
    } catch (error) {
      problem = error;
    }
    nextTick(done, problem);
  });
}

function keepSocketsHome(own: Confined, has: (scope: string, path: string) => boolean): void {
  const pipe = handlesOf(own, { path: "/dev/null/nowhere" });
  // A name that begins with a zero byte is not in a folder, and everybody may use it.
  const may = (path: unknown) =>
    typeof path === "string" && !apply(includes, path, ["\0"]) && has("fs.write", path);
  const ifPathAt = (place: number) => (original: Original) =>
    function (this: unknown, ...given: unknown[]) {
      return may(given[place]) ? apply(original, this, given) : EACCES;
    };
  replace(pipe, "connect", ifPathAt(1));
  replace(pipe, "bind", ifPathAt(0));
}

// biome-ignore lint/complexity/noBannedTypes: any function of Node's.
type Original = Function;

function replace(owner: object, name: string, make: (original: Original) => unknown): void {
  const original: unknown = get(owner, name);
  if (typeof original !== "function") throw new TypeError(`this Node has no ${name} where it was expected`);
  defineProperty(owner, name, { value: make(original) });
}

/** Said as Node's own refusals are, which are explained to the user. */
const refusal = (permission: string): Error =>
  Object.assign(new Error("Access to this API has been restricted"), {
    code: "ERR_ACCESS_DENIED",
    permission,
  });

const refused = (permission: string) => (): never => {
  throw refusal(permission);
};
