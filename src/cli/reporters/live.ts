import { drawLine, type Line, lineWidth, type Screen } from "../text/screen.ts";
import { ProgressTracker, progressFrame, type Reporter, warningLine } from "./progress.ts";

const REDRAW_MS = 100;

interface LiveReporter extends Reporter {
  /** Text of others, printed above the bars. */
  above(text: string): void;
}

/** Draws a bar per model, again at most ten times a second. */
export function liveReporter(screen: Screen, nowMs: () => number): LiveReporter {
  const area = new LiveArea(screen);
  let progress: ProgressTracker | null = null;
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
        progress = new ProgressTracker({ name: record.name, models, total, alreadyDone, nowMs: nowMs() });
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

const screenSize = ({ columns, rows }: Screen) => ({ columns: columns - 1, rows });

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
/** Terminals that know synchronized output show the new picture at once; others ignore these two. */
const BEGIN_UPDATE = "\x1b[?2026h";
const END_UPDATE = "\x1b[?2026l";

/** The last lines of a terminal, drawn over and over in place; other text goes above them. */
export class LiveArea {
  readonly #screen: Screen;
  #widths: readonly number[] = [];
  #frame: readonly Line[] = [];
  #isOpen = false;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  draw(frame: readonly Line[]): void {
    this.#redraw("", frame);
  }

  above(text: string): void {
    this.#redraw(text.endsWith("\n") || text === "" ? text : `${text}\n`, this.#frame);
  }

  /** Takes the picture away and gives the cursor back; safe to call twice. */
  close(): void {
    if (!this.#isOpen) return;
    this.#screen.write(`${this.#goBack()}\x1b[J${SHOW_CURSOR}`);
    this.#widths = [];
    this.#frame = [];
    this.#isOpen = false;
  }

  #redraw(above: string, frame: readonly Line[]): void {
    // The last column stays free: some terminals wrap as soon as it is filled.
    const columns = this.#screen.columns - 1;
    const lines = frame.map((line) => drawLine(line, { columns, hasColor: this.#screen.hasColor }));
    const back = this.#goBack();
    const body = lines.map((line) => `${line}\x1b[K\n`).join("");
    const cleared = above === "" ? back : `${back}\x1b[J${above}`;
    this.#screen.write(
      `${BEGIN_UPDATE}${this.#isOpen ? "" : HIDE_CURSOR}${cleared}${body}\x1b[J${END_UPDATE}`,
    );
    this.#widths = frame.map((line) => Math.min(columns, lineWidth(line)));
    this.#frame = frame;
    this.#isOpen = true;
  }

  /** A terminal that became narrower has wrapped the old lines, so the way up is longer than their number. */
  #goBack(): string {
    const rows = this.#widths.reduce((sum, width) => sum + this.#rowsOf(width), 0);
    return rows === 0 ? "\r" : `\x1b[${rows}A\r`;
  }

  #rowsOf(width: number): number {
    return Math.max(1, Math.ceil(width / this.#screen.columns));
  }
}
