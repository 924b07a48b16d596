import * as z from "zod";
import { LogEntry } from "../../domain/log-entry.ts";
import { jsonAnswer } from "../answers.ts";
import { knownRun, RunPath } from "../known-run.ts";
import { route } from "../route.ts";

export const RunView = z.object({
  /** The round that counts. */
  entry: LogEntry,
  /** Oldest first. */
  rounds: z.array(LogEntry),
});

export const showLog = route(
  {
    method: "get",
    path: "/evaluations/{id}/logs/{runId}",
    summary: "One run, with all its rounds",
    params: RunPath,
    answers: { 200: jsonAnswer("The run", RunView) },
  },
  async ({ params }, { store }) => Response.json(await knownRun(store, params)),
);
