import { formatDuration, plural } from "../../domain/format.ts";
import { isStoppedBeforeStart, type LogEntry } from "../../domain/run/log-entry.ts";
import { type RunLineLayout, runLine, runLineLayout } from "../pages/runs.ts";
import { type Line, printLines, type Screen } from "../text/screen.ts";
import { padStart } from "../text/width.ts";
import { headLine, ProgressTracker, type Reporter, warningLine } from "./progress.ts";

/** Up to this many runs, each has a line; a larger evaluation has a line per twentieth of the way. */
const MOST_RUN_LINES = 100;
const STEPS = 20;
/** Build servers end jobs that stay silent; a minute is well below their patience. */
const HEARTBEAT_MS = 60_000;

/** Prints lines for a log file: bounded in number, and never silent for long. */
export function plainReporter(
  { out, warnings }: { out: Screen; warnings: Screen },
  nowMs: () => number,
): Reporter {
  let progress: ProgressTracker | null = null;
  let total = 0;
  let alreadyDone = 0;
  let layout = runLineLayout([], out.columns);
  let heartbeat: NodeJS.Timeout | undefined;
  const notStarted = new Map<string, number>();
  const printHead = () => {
    if (progress !== null) printLines(out, [headLine(progress.view(nowMs()))]);
    heartbeat?.refresh();
  };
  const printRun = (entry: LogEntry, done: number) => {
    printLines(out, [numberedLine(entry, done, total, layout)]);
    heartbeat?.refresh();
  };
  return {
    note: (line) => printLines(warnings, [line]),
    stop() {
      clearInterval(heartbeat);
      printLines(out, [...notStarted].map(notStartedLine));
      notStarted.clear();
    },
    listener: {
      started(info) {
        total = info.total;
        alreadyDone = info.alreadyDone;
        layout = runLineLayout(info.models, out.columns);
        progress = new ProgressTracker({ name: info.record.name, ...info, nowMs: nowMs() });
        heartbeat = setInterval(printHead, HEARTBEAT_MS).unref();
        printLines(out, [
          startLine(info.record.name, info.record.id, total, info.models.length, alreadyDone),
        ]);
      },
      runStarted: () => progress?.runStarted(),
      limited: (providerKey, calls) => progress?.limited(providerKey, calls),
      entry(entry) {
        if (progress === null) return;
        progress.add(entry);
        const { done } = progress;
        if (done <= alreadyDone) return;
        if (isStoppedBeforeStart(entry)) return countOne(notStarted, entry.failure?.cause ?? "stopped");
        if (total - alreadyDone <= MOST_RUN_LINES) return printRun(entry, done);
        if (isStep(done, total)) printHead();
      },
      warning: (message) => printLines(warnings, [warningLine(message)]),
    },
  };
}

const isStep = (done: number, total: number): boolean =>
  Math.floor((done * STEPS) / total) > Math.floor(((done - 1) * STEPS) / total);

function startLine(name: string, id: string, total: number, models: number, alreadyDone: number): Line {
  const kept = alreadyDone > 0 ? `, ${alreadyDone} of them done before` : "";
  return [[name, "bold"], [`  ${plural(total, "run")} of ${plural(models, "model")}${kept}  `], [id, "dim"]];
}

const countOne = (counts: Map<string, number>, key: string): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1);

const notStartedLine = ([cause, count]: readonly [cause: string, count: number]): Line => [
  ["! ", "yellow"],
  [`${plural(count, "run")} ${count === 1 ? "was" : "were"} not started: ${cause}`],
];

function numberedLine(entry: LogEntry, done: number, total: number, layout: RunLineLayout): Line {
  const number = padStart(String(done), String(total).length);
  return [
    [`${number}/${total}  `, "dim"],
    ...runLine(entry, layout),
    [`  ${formatDuration(entry.runtimeSeconds)}`, "dim"],
  ];
}
