import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { makeApi } from "../../api/app.ts";
import type { Assets } from "../../api/assets.ts";
import { Redactor } from "../../domain/redact.ts";
import { systemClock } from "../../engine/system-clock.ts";
import { knownSecrets } from "../../providers/known-secrets.ts";
import type { Store } from "../../store/contract.ts";
import { EXIT } from "../exit-code.ts";
import type { Host } from "../host.ts";
import { listenForStop } from "../interruption.ts";
import { warningLine } from "../report/live-reporter.ts";
import { reportError } from "../report-error.ts";
import { printLines, printWhole } from "../screen.ts";
import { escapeLines } from "../text/escape-text.ts";
import type { Line } from "../text/line.ts";
import { DefinitionLibrary } from "./definition-library.ts";
import { listen } from "./listen.ts";
import { LocalEngine } from "./local-engine.ts";

export interface Served {
  readonly url: string;
  readonly token: string;
  /** How many definitions can be started. */
  readonly definitions: number;
}

export interface ServeOptions {
  readonly store: Store;
  /** Absolute paths of the evaluation files that there are now. */
  readonly findFiles: () => Promise<readonly string[]>;
  readonly port: number;
  /** The dashboard. */
  readonly assets: Assets;
  readonly onListening: (served: Served) => Promise<void> | void;
}

/** Evaluations and what came of them over HTTP, until Ctrl-C; answers with the exit code. */
export async function serveFolder(host: Host, options: ServeOptions): Promise<number> {
  using interruption = listenForStop(host.process, () => printLines(host.stdout, [STOPPING]));
  const engine = makeEngine(host, options);
  await serveUntil(interruption.signal, host, engine, options);
  const wasIdle = engine.running === 0;
  await engine.close();
  // Nothing was running: leaving is the normal end of serving.
  return wasIdle ? EXIT.done : (interruption.exitCode() ?? EXIT.done);
}

const STOPPING = [["Stopping; ", "yellow"], ["finished runs are kept."]] as const satisfies Line;

function makeEngine(host: Host, { store, findFiles }: ServeOptions): LocalEngine {
  const warn = (message: string) => printLines(host.stderr, [warningLine(message)]);
  const library = new DefinitionLibrary({
    findFiles,
    cwd: host.cwd,
    nowMs: host.nowMs,
    onBroken: (file, error) => printWhole(host.stderr, brokenLines(file, error)),
  });
  return new LocalEngine({
    store,
    library,
    now: () => new Date(),
    onWarning: warn,
    onBroken: (error) => reportError(error, host),
  });
}

/** Most messages begin with their file; whichever does not is told of which one it is. */
function brokenLines(file: string, error: unknown): Line[] {
  const message = error instanceof Error ? error.message : String(error);
  const [first = "", ...rest] = escapeLines(message.startsWith(file) ? message : `${file}: ${message}`);
  return [warningLine(first), ...rest.map((line): Line => [[line]])];
}

async function serveUntil(
  signal: AbortSignal,
  host: Host,
  engine: LocalEngine,
  { store, port, assets, onListening }: ServeOptions,
): Promise<void> {
  const token = host.env.AGENT_EVALUATOR_TOKEN || randomBytes(24).toString("base64url");
  const secrets = [...knownSecrets(host.env, []).all, { name: "AGENT_EVALUATOR_TOKEN", value: token }];
  await using listening = await listen(port, (given) => {
    const app = makeApi({
      store,
      engine,
      token,
      clock: systemClock,
      random: Math.random,
      redactor: new Redactor(secrets),
      hosts: [`127.0.0.1:${given}`, `localhost:${given}`],
      assets,
      onUnexpected: (error) => reportError(error, host),
    });
    return app.fetch;
  });
  const definitions = (await engine.definitions()).length;
  await onListening({ url: `http://127.0.0.1:${listening.port}`, token, definitions });
  if (!signal.aborted) await once(signal, "abort");
}
