import type { Screen } from "../screen.ts";
import { drawLine, type Line } from "../text/line.ts";
import { LiveArea } from "./live-area.ts";
import { Progress } from "./progress.ts";
import { progressFrame } from "./progress-frame.ts";
import type { Reporter } from "./reporter.ts";

const REDRAW_MS = 100;

export interface LiveReporter extends Reporter {
  /** Text of others, printed above the bars. */
  above(text: string): void;
}

/** A bar per model, drawn again at most ten times a second. */
export function liveReporter(screen: Screen, nowMs: () => number): LiveReporter {
  const area = new LiveArea(screen);
  let progress: Progress | null = null;
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    if (progress !== null) area.draw(progressFrame(progress.view(nowMs()), screenSize(screen)));
  };
  const above = (text: string) => (timer === undefined ? screen.write(text) : area.above(text));
  const note = (line: Line) => above(`${drawLine(line, screen)}\n`);
  return {
    above,
    note,
    stop() {
      clearInterval(timer);
      timer = undefined;
      area.close();
    },
    listener: {
      started({ record, total, alreadyDone, models }) {
        progress = new Progress({ name: record.name, models, total, alreadyDone, nowMs: nowMs() });
        timer = setInterval(draw, REDRAW_MS);
        draw();
      },
      runStarted: () => progress?.runStarted(),
      limited: (providerKey, calls) => progress?.limited(providerKey, calls),
      entry: (entry) => progress?.add(entry),
      warning: (message) => note(warningLine(message)),
    },
  };
}

export const warningLine = (message: string): Line => [["warning: ", "yellow"], [message]];

const screenSize = ({ columns, rows }: Screen) => ({ columns: columns - 1, rows });
