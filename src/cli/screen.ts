import { drawLine, type Line } from "./text/line.ts";

/** One stream of the user's terminal, or of a file or pipe in its place. */
export interface Screen {
  /** A terminal on which lines can be drawn again. */
  readonly isLive: boolean;
  readonly hasColor: boolean;
  /** Infinity where nothing wraps. */
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
  /** Settles when all output has left, also when its reader is gone. */
  flushed(): Promise<void>;
}

export function printLines(screen: Screen, lines: readonly Line[]): void {
  if (lines.length === 0) return;
  screen.write(lines.map((line) => `${drawLine(line, screen)}\n`).join(""));
}

/** Prints lines that must not be cut, such as an error or a command to copy, on more than one row if needed. */
export const printWhole = (screen: Screen, lines: readonly Line[]): void =>
  printLines({ ...screen, columns: Number.POSITIVE_INFINITY }, lines);

type Env = Readonly<Record<string, string | undefined>>;

export function streamScreen(stream: NodeJS.WriteStream, env: Env): Screen {
  // Bound now, so that our own output still gets through when others' writes are led elsewhere.
  const write = stream.write.bind(stream);
  const isTty = stream.isTTY === true;
  return {
    isLive: isTty && env.TERM !== "dumb" && !isOn(env.CI),
    hasColor: hasColor(stream, isTty, env),
    get columns() {
      return isTty ? (stream.columns ?? 80) : Number.POSITIVE_INFINITY;
    },
    get rows() {
      return stream.rows ?? 24;
    },
    write: (text) => void write(text),
    flushed: () => new Promise((resolve) => void write("", () => resolve())),
  };
}

function hasColor(stream: NodeJS.WriteStream, isTty: boolean, env: Env): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0";
  return isTty && stream.hasColors(env);
}

const isOn = (value: string | undefined): boolean => value !== undefined && value !== "" && value !== "false";
