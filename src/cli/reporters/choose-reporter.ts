import type { CliHost } from "../host.ts";
import { leadWrites } from "../process.ts";
import { printLines, type Screen } from "../screen.ts";
import type { Line } from "../text/line.ts";
import { liveReporter } from "./live.ts";
import { plainReporter } from "./plain.ts";
import { type Reporter, warningLine } from "./reporter.ts";

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

/** A reporter that ends when it is disposed of. */
interface ActiveReporter extends Disposable {
  readonly reporter: Reporter;
}

/** Chooses bars for a terminal and lines for a log; with --json only stderr is free, and --quiet wants neither. */
export function chooseReporter(session: Session): ActiveReporter {
  const { host, flags } = session;
  if (flags.quiet) return show(session, quietReporter(host.stderr));
  if (flags.json) {
    return host.stderr.isLive ? showLive(session, host.stderr) : show(session, quietReporter(host.stderr));
  }
  if (host.stdout.isLive) return showLive(session, host.stdout);
  return show(session, plainReporter({ out: host.stdout, warnings: host.stderr }, host.nowMs));
}

function quietReporter(screen: Screen): Reporter {
  return {
    listener: { warning: (message) => printLines(screen, [warningLine(message)]) },
    note: (line) => printLines(screen, [line]),
    stop() {},
  };
}

function show(session: Session, reporter: Reporter): ActiveReporter {
  const before = session.note;
  session.note = reporter.note;
  return {
    reporter,
    [Symbol.dispose]() {
      reporter.stop();
      session.note = before;
    },
  };
}

/** The cursor comes back on every way out, and what a definition prints appears above the bars. */
function showLive(session: Session, screen: Screen): ActiveReporter {
  const { process } = session.host;
  const reporter = liveReporter(screen, session.host.nowMs);
  const led = leadWrites([process.stdout, process.stderr], reporter.above);
  const shown = show(session, reporter);
  process.once("exit", reporter.stop);
  return {
    reporter,
    [Symbol.dispose]() {
      shown[Symbol.dispose]();
      led[Symbol.dispose]();
      process.off("exit", reporter.stop);
    },
  };
}
