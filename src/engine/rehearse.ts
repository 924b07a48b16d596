import { FINISH } from "../agent/agent-loop.ts";
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

/** Runs the agents of ours that a bundle holds, on a model that calls `finish` at once. */
export async function rehearse(runOnce: RunOnce): Promise<void> {
  for (const buildAgent of rehearsals()) await runOnce({ buildAgent }, TASK, link());
}

const TASK: RunTask = {
  ...{ runId: "rehearsal", providerKey: "scripted", model: "rehearsal" },
  ...{ problemId: "rehearsal", problem: null, trial: 1 },
};

const REPLY: ChatReply = {
  id: null,
  content: "",
  toolCalls: [{ id: "1", name: FINISH, input: { value: "done" } }],
  finishReason: "tool_calls",
  usage: null,
};

const link = (): RunLink => ({
  signal: new AbortController().signal,
  tempFolder: "",
  gateway: null,
  call: async () => ({ kind: "reply", reply: JSON.parse(JSON.stringify(REPLY)) }),
  step: () => {},
  usage: () => {},
});
