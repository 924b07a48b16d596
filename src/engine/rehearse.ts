import { rehearsals } from "../agent/rehearsals.ts";
import type { RunTask } from "../isolation/contract.ts";
import type { RunLink } from "../isolation/task-server.ts";
import type { ChatReply } from "../providers/contract.ts";
import type { EvaluationOptions } from "./definition.ts";

type RunOnce = (
  agent: Pick<EvaluationOptions, "buildAgent">,
  task: RunTask,
  link: RunLink,
) => Promise<unknown>;

/** Runs the agents of ours that a bundle holds, each on a model that lets it end at once. */
export async function rehearse(runOnce: RunOnce): Promise<void> {
  for (const { buildAgent, reply } of rehearsals()) await runOnce({ buildAgent }, TASK, linkTo(reply));
}

const TASK: RunTask = {
  ...{ runId: "rehearsal", providerKey: "scripted", model: "rehearsal" },
  ...{ problemId: "rehearsal", problem: null, trial: 1 },
};

const linkTo = (reply: ChatReply): RunLink => ({
  signal: new AbortController().signal,
  tempFolder: "",
  gateway: null,
  call: async () => ({ kind: "reply", reply: JSON.parse(JSON.stringify(reply)) }),
  step: () => {},
  usage: () => {},
});
