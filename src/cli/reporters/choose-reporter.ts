import type { CliHost } from "../host.ts";
import { redirectWrites } from "../host.ts";
import { type Line, printLines, type Screen } from "../text/screen.ts";
import { liveReporter } from "./live.ts";
import { plainReporter } from "./plain.ts";
import { type Reporter, warningLine } from "./progress.ts";

/** One call of a command that shows how an evaluation proceeds. */
export interface Session {
  readonly host: CliHost;
  readonly flags: { readonly quiet: boolean; readonly json: boolean };
  /** Prints a lasting line; a reporter that draws takes it over. */
  note: (line: Line) => void;
}

/** Prints lasting lines where a document on stdout leaves room for them. */
export const noteOn =
  (host: CliHost, isJson: boolean): Session["note"] =>
  (line) =>
    printLines(isJson ? host.stderr : host.stdout, [line]);

/** Shows how an evaluation proceeds until it is disposed of; meanwhile it prints the session's lasting lines. */
export function chooseReporter(session: Session): Pick<Reporter, "listener"> & Disposable {
  const ending = new DisposableStack();
  const { listener, note, stop } = makeReporter(session, ending);
  const before = session.note;
  session.note = note;
  ending.defer(() => {
    stop();
    session.note = before;
  });
  return { listener, [Symbol.dispose]: () => ending.dispose() };
}

/** Chooses bars for a terminal and lines for a log; with --json only stderr is free, and --quiet wants neither. */
function makeReporter({ host, flags }: Session, ending: DisposableStack): Reporter {
  const { process, nowMs, stdout, stderr } = host;
  const screen = flags.json ? stderr : stdout;
  if (flags.quiet || (flags.json && !screen.isLive)) return quietReporter(stderr);
  if (!screen.isLive) return plainReporter({ out: stdout, warnings: stderr }, nowMs);
  const reporter = liveReporter(screen, nowMs);
  // The cursor comes back on every way out, and what a definition prints appears above the bars.
  process.once("exit", reporter.stop);
  ending.defer(() => process.off("exit", reporter.stop));
  ending.use(redirectWrites([process.stdout, process.stderr], reporter.above));
  return reporter;
}

const quietReporter = (screen: Screen): Reporter => ({
  listener: { warning: (message) => printLines(screen, [warningLine(message)]) },
  note: (line) => printLines(screen, [line]),
  stop() {},
});
