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
  const environment: Record<string, string> = {};
  const locale = Object.keys(from).filter((name) => name.startsWith("LC_"));
  for (const name of [...BASICS, ...locale]) copy(from, environment, name);
  environment.HOME = own.tempFolder;
  environment.TMPDIR = own.tempFolder;
  for (const name of allowed) copy(from, environment, name);
  if (own.pass !== null) Object.assign(environment, gatewayVariables(own.pass.access));
  environment[MARKER] = own.marker;
  return environment;
}

function copy(from: Variables, to: Record<string, string>, name: string): void {
  const value = from[name];
  if (value !== undefined) to[name] = value;
}
