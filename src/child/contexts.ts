import type { AgentStep, RunContext } from "../agent/agent.ts";
import type { CheckContext } from "../checkers/checker.ts";
import { definedFields, toStored } from "../domain/json.ts";
import { toWhole } from "../domain/run/amounts.ts";
import type { CallUsage } from "../domain/run/usage.ts";
import type { CallLink, CheckTask, RunLink, RunTask } from "../isolation/isolation.ts";
import type { ChatProvider } from "../providers/provider.ts";

/** Makes the context of a checker: the run that it judges, and how to call models. */
export const checkContext = (
  { problem, problemId, providerKey, model, variant, trial, tags, transcript }: CheckTask,
  link: CallLink,
  open: (providerKey: string) => Promise<ChatProvider>,
): CheckContext => ({
  signal: link.signal,
  problem,
  problemId,
  providerKey,
  model,
  trial,
  tags,
  transcript,
  ...definedFields({ variant }),
  gateway: link.gateway,
  provider: (key) => lazyProvider(() => open(key)),
  reportUsage: (usage, called) => link.usage(readUsage(usage), called),
});

/** A provider that is opened with its first call; a factory of the user's own may take its time. */
function lazyProvider(open: () => Promise<ChatProvider>): ChatProvider {
  let opened: Promise<ChatProvider> | undefined;
  return {
    async generate(request, options) {
      opened ??= open();
      return (await opened).generate(request, options);
    },
  };
}

/** Makes the context of an agent. A step or usage that cannot be kept throws here, where the stack names the caller. */
export const runContext = (task: RunTask, link: RunLink): RunContext => ({
  ...task,
  signal: link.signal,
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
      `emit: unknown kind of step ${JSON.stringify(copy.kind)}; the kinds are ${Object.keys(FIELDS).join(", ")}`,
    );
  for (const [field, type] of Object.entries(fields)) {
    const isThere = type === "json" ? copy[field] !== undefined : typeof copy[field] === type;
    if (!isThere) throw new TypeError(`emit: a ${String(copy.kind)} needs the field ${field} (${type})`);
  }
  return copy as unknown as AgentStep;
}

const COUNTS = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "reasoningTokens",
  "cacheWriteTokens",
  "cacheWriteHourTokens",
] as const satisfies readonly (keyof CallUsage)[];

/** Reads the tokens that user code reports: throws for what is not a count; too many end the run later. */
export function readUsage(usage: Partial<CallUsage>): Partial<CallUsage> {
  const counts = COUNTS.flatMap((name) => {
    const tokens = usage[name];
    if (tokens === undefined) return [];
    if (Number.isInteger(tokens) && tokens >= 0) return [[name, toWhole(tokens)] as const];
    throw new TypeError(`reportUsage: ${name} is ${String(tokens)}; expected a whole number from 0`);
  });
  return Object.fromEntries(counts);
}
