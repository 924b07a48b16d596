import type { AgentStep, RunContext } from "../agent/contract.ts";
import { toStored } from "../domain/json.ts";
import type { RunTask } from "../isolation/contract.ts";
import type { RunLink } from "../isolation/task-server.ts";
import { readUsage } from "./read-usage.ts";

/** What an agent learns of its run. A step or usage that cannot be kept is refused here, where the stack names the caller. */
export const runContext = (task: RunTask, link: RunLink): RunContext => ({
  signal: link.signal,
  runId: task.runId,
  providerKey: task.providerKey,
  model: task.model,
  problemId: task.problemId,
  problem: task.problem,
  trial: task.trial,
  tempFolder: link.tempFolder,
  gateway: link.gateway,
  emit: (step) => link.step(readStep(step)),
  reportUsage: (usage) => link.usage(readUsage(usage)),
});

const FIELDS = {
  tool_call: { id: "string", tool: "string", input: "json" },
  tool_result: { id: "string", tool: "string", output: "json", isError: "boolean" },
  note: { text: "string" },
} as const satisfies Record<AgentStep["kind"], Readonly<Record<string, string>>>;

function readStep(step: AgentStep): AgentStep {
  const stored = toStored(step, "step");
  if (stored.kind === "unstorable")
    throw new TypeError(`emit: the step cannot be kept as JSON: ${stored.why}`);
  const copy = JSON.parse(stored.text) as Readonly<Record<string, unknown>>;
  const fields = Object.entries(FIELDS).find(([kind]) => kind === copy.kind)?.[1];
  if (fields === undefined)
    throw new TypeError(
      `emit: unknown kind of step ${JSON.stringify(copy.kind)}; known are ${Object.keys(FIELDS).join(", ")}`,
    );
  for (const [field, type] of Object.entries(fields)) {
    const isThere = type === "json" ? copy[field] !== undefined : typeof copy[field] === type;
    if (!isThere) throw new TypeError(`emit: a ${String(copy.kind)} needs the field ${field} (${type})`);
  }
  return copy as unknown as AgentStep;
}
