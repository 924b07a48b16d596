import { type GatewayPass, gatewayVariables } from "../../domain/gateway-access.ts";
import type { Limits } from "../../domain/limits.ts";

const BASICS = [
  "PATH",
  "LANG",
  "LANGUAGE",
  "TZ",
  "USER",
  "LOGNAME",
  "SHELL",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  // Where Lambda, and whoever installs Node by hand, has the libraries of Node and of compiled packages.
  "LD_LIBRARY_PATH",
  // Read and deleted before any other code runs: the address that it may not connect to.
  "AWS_LAMBDA_RUNTIME_API",
];

/** Every process of a run carries this variable, so that one that left its session can still be found. */
export const MARKER = "AGENT_EVALUATOR_RUN";

type Variables = Readonly<Record<string, string | undefined>>;

/** An allow-list: basics and what the definition names; no key gets in by accident, and a pass replaces keys. */
export function childEnvironment(
  from: Variables,
  allowed: readonly string[],
  own: { marker: string; tempFolder: string; pass: GatewayPass | null },
): Record<string, string> {
  const environment = pick(from, basicsOf(from));
  environment.HOME = own.tempFolder;
  environment.TMPDIR = own.tempFolder;
  Object.assign(environment, pick(from, allowed));
  if (own.pass !== null) Object.assign(environment, gatewayVariables(own.pass.access));
  environment[MARKER] = own.marker;
  return environment;
}

/** Variables for our own programs that load users' code: the basics, and where this user's files are. */
export const basicEnvironment = (from: Variables): Record<string, string> =>
  pick(from, [...basicsOf(from), "HOME", "TMPDIR"]);

/** Variables for our own programs that load no code of users: only what they need to start. */
export const bareEnvironment = (from: Variables): Record<string, string> => pick(from, ["LD_LIBRARY_PATH"]);

const basicsOf = (from: Variables): string[] => [
  ...BASICS,
  ...Object.keys(from).filter((name) => name.startsWith("LC_")),
];

function pick(from: Variables, names: readonly string[]): Record<string, string> {
  const found = names.flatMap((name) => {
    const value = from[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found);
}

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

/** Says whether a run's process may start others; where it may not, nothing has to be searched for when it ends. */
export const maySpawn = (access: Access): boolean => access.spawn || access.addons || access.trusted;
