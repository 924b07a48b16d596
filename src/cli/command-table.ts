import type { Command } from "./command.ts";

export interface ListedCommand {
  readonly usage: string;
  readonly summary: string;
  /** Loaded only when it is used: a command's imports cost more than everything before it. */
  load(): Promise<Command>;
}

export const COMMANDS: Readonly<Record<string, ListedCommand>> = {
  run: {
    usage: "run FILE… [flags]",
    summary: "run evaluation files and report how good each model is",
    load: async () => (await import("./commands/run.ts")).runCommand,
  },
  estimate: {
    usage: "estimate FILE [flags]",
    summary: "estimate tokens, cost and time of a run",
    load: async () => (await import("./commands/estimate.ts")).estimateCommand,
  },
  check: {
    usage: "check [ID] [FILE]",
    summary: "check stored results again, without running agents",
    load: async () => (await import("./commands/check.ts")).checkCommand,
  },
  list: {
    usage: "list [flags]",
    summary: "list evaluations, newest first",
    load: async () => (await import("./commands/list.ts")).listCommand,
  },
  show: {
    usage: "show [ID] [flags]",
    summary: "show an evaluation, its runs, or one run step by step",
    load: async () => (await import("./commands/show.ts")).showCommand,
  },
  report: {
    usage: "report [ID] [flags]",
    summary: "write an evaluation as one HTML file",
    load: async () => (await import("./commands/report.ts")).reportCommand,
  },
  compare: {
    usage: "compare A B [flags]",
    summary: "show what changed between two evaluations",
    load: async () => (await import("./commands/compare.ts")).compareCommand,
  },
  view: {
    usage: "view [ID] [flags]",
    summary: "open evaluations in the browser, also while they run",
    load: async () => (await import("./commands/view.ts")).viewCommand,
  },
  watch: {
    usage: "watch [ID] [flags]",
    summary: "follow an evaluation that runs elsewhere until it ends",
    load: async () => (await import("./commands/watch.ts")).watchCommand,
  },
  serve: {
    usage: "serve [FILE…] [flags]",
    summary: "serve evaluations and their results over HTTP",
    load: async () => (await import("./commands/serve.ts")).serveCommand,
  },
  init: {
    usage: "init [FILE] [flags]",
    summary: "write a first evaluation that runs without any key",
    load: async () => (await import("./commands/init.ts")).initCommand,
  },
};
