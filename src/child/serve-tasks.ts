import { type Agent, type RunContext, rehearsals } from "../agent/agent.ts";
import { openTools } from "../agent/tools.ts";
import { parseVerdict } from "../checkers/checker.ts";
import { hasCode, isEvaluatorError, messageWithCauses } from "../domain/errors.ts";
import { showBriefly, toStored } from "../domain/json.ts";
import type { EvaluationOptions } from "../engine/definition/definition.ts";
import type {
  CallLink,
  CheckResponse,
  CheckTask,
  RunLink,
  RunResponse,
  RunTask,
  TaskServer,
} from "../isolation/isolation.ts";
import type { ChatProvider, ChatReply } from "../providers/provider.ts";
import { checkContext, runContext } from "./contexts.ts";
import {
  countedProvider,
  type GatewayScope,
  proxyProvider,
  reportingProvider,
  withGateway,
} from "./providers.ts";
import { sideOf } from "./side-by-side.ts";

const KILOBYTE = 1024;

type Recipe = Pick<
  EvaluationOptions,
  "buildAgent" | "resultChecker" | "tools" | "providerFactory" | "variants"
>;

/** Puts a definition's own functions behind calls that never reject. */
export function serveTasks(recipe: Recipe): TaskServer {
  return {
    run: (task, maxResultBytes, link) =>
      withGateway(gatewayScope(link), () => run(recipe, task, maxResultBytes, link)),
    check: (task, link) => withGateway(gatewayScope(link), () => check(recipe, task, link)),
    rehearse: () =>
      rehearse((agent, task, link) => run({ ...agent, resultChecker: () => null }, task, KILOBYTE, link)),
  };
}

async function run(
  recipe: Recipe,
  task: RunTask,
  maxResultBytes: number,
  link: RunLink,
): Promise<RunResponse> {
  try {
    const provider = await makeProvider(recipe, task.providerKey, link);
    const side = sideOf(recipe, task.variant);
    const { tools, close } = await openTools(side.tools ?? [], link.signal);
    try {
      const agent = await side.buildAgent(
        provider,
        task.model,
        tools,
        task.problem,
        variantValue(recipe, task),
      );
      return toAnswer(await runAgent(agent, runContext(task, link)), maxResultBytes);
    } finally {
      await close();
    }
  } catch (error) {
    return toFailure(error);
  }
}

async function check(recipe: Recipe, task: CheckTask, link: CallLink): Promise<CheckResponse> {
  try {
    const open = (providerKey: string) => makeProvider(recipe, providerKey, link);
    const context = checkContext(task, link, open);
    return toVerdict(await recipe.resultChecker(task.result, task.expected, context));
  } catch (error) {
    return { kind: "check_failed", ...describe(error) };
  }
}

const variantValue = ({ variants = {} }: Recipe, { variant }: RunTask): unknown =>
  variant === undefined ? undefined : variants[variant];

/** Every model call of user code, wherever in it, goes through the gateway. */
const gatewayScope = (link: CallLink): GatewayScope => ({
  open: (providerKey) => countedProvider(proxyProvider(providerKey, link.call, link.signal)),
});

async function makeProvider(recipe: Recipe, providerKey: string, link: CallLink): Promise<ChatProvider> {
  if (recipe.providerFactory === undefined) return proxyProvider(providerKey, link.call, link.signal);
  return reportingProvider(providerKey, await recipe.providerFactory(providerKey), link);
}

const runAgent = (agent: Agent, context: RunContext): unknown =>
  typeof agent === "function" ? agent(context) : agent.run(context);

function toAnswer(result: unknown, maxBytes: number): RunResponse {
  if (result === undefined || result === null) {
    return {
      kind: "failed",
      cause: "no_answer",
      message: "the agent returned nothing; did you forget `return`?",
      stack: "",
    };
  }
  const stored = toStored(result);
  if (stored.kind === "unstorable") {
    const message = `the result cannot be stored as JSON: ${stored.why}`;
    return { kind: "failed", cause: "agent_error", message, stack: "" };
  }
  const bytes = Buffer.byteLength(stored.text);
  if (bytes <= maxBytes) return { kind: "answered", resultText: stored.text };
  const message = `the result has ${Math.ceil(bytes / 1024)} KB, more than limits.resultKb (${maxBytes / 1024})`;
  return { kind: "failed", cause: "limit", message, stack: "" };
}

const KNOWN_CAUSES = ["no_answer", "limit", "provider_error", "rate_limited"] as const;

/** An agent may wrap the error of a model call; what failed first is the cause. */
function toFailure(error: unknown): RunResponse {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 10; inner = inner.cause, depth++) {
    const code = "code" in inner ? inner.code : undefined;
    const cause = KNOWN_CAUSES.find((known) => known === code);
    // Thrown by our own code, which knows the cause: the stack would add nothing.
    if (cause !== undefined) return { kind: "failed", cause, message: inner.message, stack: "" };
  }
  return { kind: "failed", cause: "agent_error", ...describe(error) };
}

/** Describes a thrown value; a refusal of Node's permission model begins with what to do about it. */
export function describe(error: unknown): { message: string; stack: string } {
  if (!(error instanceof Error)) return { message: `threw ${showBriefly(error)}`, stack: "" };
  // Ours says what happened and what to do; where in our code it was made adds nothing.
  if (isEvaluatorError(error)) return { message: error.message, stack: "" };
  const name = error.name === "Error" ? "" : `${error.name}: `;
  return { message: explainDenied(error) ?? `${name}${messageWithCauses(error)}`, stack: error.stack ?? "" };
}

function toVerdict(given: unknown): CheckResponse {
  const verdict = parseVerdict(given);
  if (typeof verdict === "string") return { kind: "check_failed", message: verdict, stack: "" };
  return { kind: "verdict", ...verdict };
}

type RunOnce = (
  agent: Pick<EvaluationOptions, "buildAgent">,
  task: RunTask,
  link: RunLink,
) => Promise<unknown>;

/** Runs our own agents that a bundle holds, each on a model that lets it end at once. */
async function rehearse(runOnce: RunOnce): Promise<void> {
  for (const { buildAgent, reply } of rehearsals()) await runOnce({ buildAgent }, TASK, linkTo(reply));
}

const TASK: RunTask = {
  runId: "rehearsal",
  providerKey: "scripted",
  model: "rehearsal",
  problemId: "rehearsal",
  problem: null,
  trial: 1,
};

const linkTo = (reply: ChatReply): RunLink => ({
  signal: new AbortController().signal,
  tempFolder: "",
  gateway: null,
  call: async () => ({ kind: "reply", reply: JSON.parse(JSON.stringify(reply)) }),
  step: () => {},
  usage: () => {},
});

/** Says how to allow what Node's permission model refused; Node itself names a flag that users cannot set. */
function explainDenied(error: Error): string | null {
  if (hasCode(error, "ERR_UNKNOWN_BUILTIN_MODULE") && error.message.endsWith("node:sqlite"))
    return adviceOn("node:sqlite", "");
  if (!hasCode(error, "ERR_ACCESS_DENIED")) return null;
  const permission = "permission" in error ? String(error.permission) : "";
  const resource = "resource" in error ? String(error.resource) : "";
  const said = error.message.replace(/\.? Use --allow-\S+ to manage permissions\.$/, "");
  return `${adviceOn(permission, resource)} (${said})`;
}

function adviceOn(permission: string, resource: string): string {
  switch (permission) {
    case "FileSystemRead":
      return allow(`read ${resource}`, `read: [${JSON.stringify(resource)}]`);
    case "FileSystemWrite":
      return allow(`write ${resource}`, `write: [${JSON.stringify(resource)}]`);
    case "ChildProcess":
      return allow(`start ${resource || "processes"}`, "spawn: true");
    default:
      return `a run may not use ${permission || "this"}; \`trusted: true\` in the evaluation allows it`;
  }
}

const allow = (what: string, option: string): string =>
  `a run may not ${what}; add \`permissions: { ${option} }\` to the evaluation, or allow everything with \`trusted: true\``;
