#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { privateFolder } from "../system/private-folder.ts";

// Before anything else is loaded: stripped and compiled code of the last start is used again. Node's own folder for that
// is one that another user could have made.
const folder = privateFolder();
if (folder !== null) enableCompileCache(join(folder, "compiled"));

const { processHost } = await import("./host.ts");
const { runCli } = await import("./run-cli.ts");
const { reportError, SIGNAL_EXITS } = await import("./exit.ts");

const host = processHost(process);

// `| head` has seen enough: a command that can stop gracefully listens, all others just end.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  if (process.stdout.listenerCount("error") === 1) process.exit(SIGNAL_EXITS.SIGPIPE);
});
process.stderr.on("error", () => {});
process.on("uncaughtException", (error) => {
  process.exitCode = reportError(error, host);
  process.exit();
});

const code = await runCli(process.argv.slice(2), host);
await Promise.all([host.stdout.flushed(), host.stderr.flushed()]);
// A user's module may have left a timer or a socket behind.
process.exit(code);
