import type { Host } from "./host.ts";

/** The flags of every command that can look elsewhere, as the help tells them; apart from what reads them, to start fast. */
export const REMOTE_FLAGS = {
  remote: { value: "URL", help: "of an API, as serve or a deployment prints it" },
  token: { value: "TOKEN", help: "of that API (default AGENT_EVALUATOR_TOKEN)" },
} as const satisfies Record<string, Flag>;

export interface Flag {
  /** Name of the value in the help; a flag without one is a switch. */
  readonly value?: string;
  readonly isList?: true;
  /** One letter that stands for it, as in -o. */
  readonly short?: string;
  readonly help: string;
}

export interface Command {
  readonly summary: string;
  readonly usage: string;
  readonly flags: Readonly<Record<string, Flag>>;
  readonly notes?: readonly string[];
  /** Loaded only when it is used: a command's imports cost more than everything before it. */
  load(): Promise<{ execute: Execute }>;
}

/** Does what the words and flags say and answers with the exit code. */
export type Execute = (host: Host, words: readonly string[], flags: RawFlags) => Promise<number>;

export type RawFlags = Readonly<Record<string, string | boolean | readonly string[]>>;

/** Known to every command. */
export const COMMON_FLAGS = {
  help: { short: "h", help: "show this help" },
  debug: { help: "show where an unexpected error comes from" },
} as const satisfies Record<string, Flag>;

const STORE = { value: "PATH", help: "folder of the store (default .agent-evaluator)" } as const;
const PORT = { value: "N", help: "port on this machine (default 4747)" } as const;

const OUTPUTS = {
  junit: { value: "FILE", help: "write the runs as JUnit XML" },
  jsonl: { value: "FILE", help: "write the runs, one JSON object per line" },
  csv: { value: "FILE", help: "write the runs as a table" },
  summary: { value: "FILE", help: "write the summary as Markdown" },
} as const satisfies Record<string, Flag>;

/** How much of an evaluation is meant. */
const PLAN = {
  concurrency: { value: "N", help: "runs at the same time" },
  trials: { value: "N", help: "repeats of every model and problem" },
  limit: { value: "N", help: "only the first N problems" },
  problem: { value: "ID", isList: true, help: "only the problem with this id; repeatable" },
  tag: { value: "TAG", isList: true, help: "only problems with this tag; repeatable" },
  sample: { value: "N", help: "only N problems, drawn by chance" },
  seed: { value: "N", help: "which ones --sample draws (default 1)" },
} as const satisfies Record<string, Flag>;

export const COMMANDS: Readonly<Record<string, Command>> = {
  run: {
    summary: "run evaluation files and say how good each model is",
    usage: "run FILE… [flags]",
    flags: {
      model: {
        value: "PROVIDER/MODEL",
        isList: true,
        help: "run these models instead of the file's; repeatable",
      },
      ...PLAN,
      timeout: { value: "SECONDS", help: "working time of one run" },
      "confirm-above": { value: "USD", help: "ask first when it may cost more" },
      "budget-usd": { value: "USD", help: "start no further run once all cost so much" },
      "budget-tokens": { value: "N", help: "start no further run once all used so many" },
      "max-minutes": { value: "N", help: "start no further run after so long" },
      isolation: { value: "KIND", help: "process (a fresh one per run), pool (reused) or none" },
      "min-accuracy": { value: "0.8", help: "exit 3 when a model's accuracy is lower" },
      baseline: { value: "ID", help: "compare with it, or with a file of --json or --jsonl" },
      "fail-on-regression": { help: "exit 3 on a drop that is more than chance" },
      resume: { value: "ID", help: "go on with a stopped evaluation; needs no FILE" },
      "retry-failed": { help: "with --resume: run what failed again too" },
      grow: { help: "with --resume: run what the file has more, too" },
      ...OUTPUTS,
      ...REMOTE_FLAGS,
      store: STORE,
      watch: { help: "run again when a file, its data or .env changes" },
      json: { help: "print { evaluation, stats, report, logs } alone" },
      quiet: { help: "print only the final table" },
    },
    notes: [
      "FILE is a file, a folder (its *.eval.ts) or a glob; several run in turn.",
      "Of several files --json prints { evaluations: [{ evaluation, … }, …] }.",
      "In GitHub Actions the step's page gets the summary, unless --summary is given.",
      "With --resume, --model, --trials and the flags for problems add to its plan.",
      "API keys may be in a .env file of the current folder; what is set already wins.",
      "Exit codes: 0 done, 1 something broke (also: no run could be scored), 2 bad",
      "usage, 3 not good enough, 4 budget spent, 130 Ctrl-C, 143 SIGTERM (--resume",
      "goes on with what is left).",
    ],
    load: () => import("./commands/run.ts"),
  },
  estimate: {
    summary: "say what a run will take: tokens, money, time",
    usage: "estimate FILE [flags]",
    flags: {
      model: { value: "PROVIDER/MODEL", isList: true, help: "instead of the file's models; repeatable" },
      ...PLAN,
      json: { help: "print { name, models, total, seen, pilot }" },
      store: STORE,
    },
    notes: [
      "It goes by earlier runs; a model that has none runs one problem, which is kept.",
      "From one run low is half and high is twice; from more it is a 90% interval.",
    ],
    load: () => import("./commands/estimate.ts"),
  },
  check: {
    summary: "check stored results again, without running agents",
    usage: "check [ID] [FILE]",
    flags: {
      json: { help: "print { evaluation, stats, report, logs } alone" },
      store: STORE,
      ...REMOTE_FLAGS,
    },
    notes: [
      "The checker is that of the file as it is now; what it said before is kept.",
      "Without FILE it is the evaluation's own; with --remote the one deployed there.",
    ],
    load: () => import("./commands/check.ts"),
  },
  list: {
    summary: "list evaluations, newest first",
    usage: "list [flags]",
    flags: {
      name: { value: "NAME", help: "only evaluations of this name" },
      limit: { value: "N", help: "at most N (default 20)" },
      json: { help: "print { evaluations } and nothing else" },
      store: STORE,
      ...REMOTE_FLAGS,
    },
    load: () => import("./commands/list.ts"),
  },
  show: {
    summary: "show an evaluation, its runs, or one run step by step",
    usage: "show [ID] [flags]",
    flags: {
      logs: { help: "a line for every run" },
      failed: { help: "a line for every run that failed" },
      run: { value: "RUNID", help: "one run: problem, result, transcript, output" },
      ...OUTPUTS,
      json: { help: "print { evaluation, stats, report, logs } alone" },
      store: STORE,
      ...REMOTE_FLAGS,
    },
    notes: [
      "Without ID it is the newest evaluation; the first letters of an id are enough.",
      "With --run, --json prints { evaluation, rounds, body }.",
    ],
    load: () => import("./commands/show.ts"),
  },
  report: {
    summary: "write an evaluation as one HTML file",
    usage: "report [ID] [flags]",
    flags: {
      out: { value: "FILE", short: "o", help: "the file (default report.html); -o is short for it" },
      store: STORE,
    },
    notes: ["The file opens from disk, without a server, and asks nobody for anything."],
    load: () => import("./commands/report.ts"),
  },
  compare: {
    summary: "say what changed between two evaluations",
    usage: "compare A B [flags]",
    flags: {
      json: { help: "print { baseline, candidate, comparisons } and nothing else" },
      store: STORE,
    },
    notes: [
      "A is the baseline. Each is an id or its first letters, ID:provider/model for one",
      "of its models, or a file of --json or --jsonl. Models are paired by name and",
      "problems by id; a difference is called one when it is more than chance.",
    ],
    load: () => import("./commands/compare.ts"),
  },
  view: {
    summary: "look at evaluations in the browser, while they run too",
    usage: "view [ID] [flags]",
    flags: {
      port: PORT,
      "no-open": { help: "only print the link" },
      store: STORE,
    },
    notes: [
      "Without ID it opens the list; the first letters of an id are enough.",
      "Evaluations of the folder evals can be started from the page.",
    ],
    load: () => import("./commands/view.ts"),
  },
  watch: {
    summary: "follow an evaluation that runs elsewhere until it ends",
    usage: "watch [ID] [flags]",
    flags: {
      "min-accuracy": { value: "0.8", help: "exit 3 when a model's accuracy is lower" },
      json: { help: "print { evaluation, stats, report, logs } alone" },
      quiet: { help: "print only the final table" },
      store: STORE,
      ...REMOTE_FLAGS,
    },
    notes: [
      "Elsewhere is an API, or another process that uses this store.",
      "Ctrl-C ends the watching; the evaluation goes on.",
    ],
    load: () => import("./commands/watch.ts"),
  },
  serve: {
    summary: "serve evaluations, and what came of them, over HTTP",
    usage: "serve [FILE…] [flags]",
    flags: {
      port: PORT,
      store: STORE,
    },
    notes: [
      "FILE is as for run; without one it is the folder evals.",
      "The token is AGENT_EVALUATOR_TOKEN, or a new one each time.",
    ],
    load: () => import("./commands/serve.ts"),
  },
  init: {
    summary: "write a first evaluation that runs without any key",
    usage: "init [FILE] [flags]",
    flags: {
      cloud: { help: "write what deploys the folder evals to your AWS account" },
    },
    notes: [
      "FILE is evals/first.eval.ts unless given; a file that exists is left alone.",
      "--cloud writes sst.config.ts, stacks, functions and evals/index.ts for SST.",
    ],
    load: () => import("./commands/init.ts"),
  },
};
