import type { EvaluationListener } from "../../engine/local/local-evaluation.ts";
import type { Host } from "../host.ts";
import { leadWrites } from "../process.ts";
import { printLines, type Screen } from "../screen.ts";
import type { Line } from "../text/line.ts";
import { liveReporter, warningLine } from "./live.ts";
import { plainReporter } from "./plain.ts";

export interface Shown extends Disposable {
  readonly reporter: Reporter;
}

/** What a reporter needs to know of who shows it; it takes over where lasting lines go. */
export interface ShownOn {
  readonly host: Host;
  readonly flags: { readonly quiet: boolean; readonly json: boolean };
  note: (line: Line) => void;
}

/** Bars on a terminal, lines in a log; with --json only stderr is free, and --quiet wants neither. */
export function chooseReporter(session: ShownOn): Shown {
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

function show(session: ShownOn, reporter: Reporter): Shown {
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
function showLive(session: ShownOn, screen: Screen): Shown {
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

/** What the user sees while an evaluation runs. */
export interface Reporter {
  readonly listener: EvaluationListener;
  /** A line that stays, whatever is being drawn. */
  note(line: Line): void;
  /** Ends the drawing; what follows is printed below. */
  stop(): void;
}
