import { type GatewayPass, gatewayVariables } from "../domain/gateway-access.ts";

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

/** For a program of ours that loads users' code: the basics, and where this user's files are. */
export const basicEnvironment = (from: Variables): Record<string, string> =>
  pick(from, [...basicsOf(from), "HOME", "TMPDIR"]);

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
