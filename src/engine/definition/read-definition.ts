import * as z from "zod";
import { Budget } from "../../domain/budget.ts";
import { isSchedule } from "../../domain/cloud/deployment.ts";
import { EvaluatorError, isEvaluatorError, messageWithCauses } from "../../domain/errors.ts";
import { didYouMean } from "../../domain/format.ts";
import { GATEWAY_VARIABLES } from "../../domain/gateway-access.ts";
import type { Digest } from "../../domain/ids.ts";
import { Limits } from "../../domain/limits.ts";
import { type Model, ModelPair, VariantName } from "../../domain/model.ts";
import { type Problem, problemReader } from "../../domain/problem.ts";
import { Price } from "../../domain/run/usage.ts";
import { Drift } from "../../domain/stats/drift.ts";
import { Gates } from "../../domain/stats/gates.ts";
import { ModelOptions } from "../../providers/model-options.ts";
import { Scripts } from "../../providers/scripted.ts";
import { modelTrouble } from "./check-models.ts";
import { chooseProblems, type ProblemChoice } from "./choose-problems.ts";
import type { EvaluationOptions } from "./definition.ts";

const aFunction = z.custom<(...args: never[]) => unknown>(
  (value) => typeof value === "function",
  "expected a function",
);
const anIterable = z.custom<EvaluationOptions["problems"]>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    (Symbol.iterator in value || Symbol.asyncIterator in value),
  "expected a list (or another iterable) of problems",
);
const aTool = z.union(
  [
    z.looseObject({ name: z.string(), run: aFunction, timeoutSeconds: z.number().positive().optional() }),
    z.looseObject({ name: z.string(), open: aFunction }),
  ],
  "expected a tool (defineTool, nodeTool) or a source of tools (mcpTools)",
);
const Variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected the name of an environment variable");

const Permissions = z.strictObject({
  read: z.array(z.string()).default([]),
  write: z.array(z.string()).default([]),
  spawn: z.boolean().default(false),
  addons: z.boolean().default(false),
});

const Options = z.strictObject({
  name: z
    .string()
    .regex(/^[^\s#][^#\n]{0,99}$/, "expected 1 to 100 characters without #")
    .default("evaluation"),
  models: z.array(ModelPair),
  variants: z
    .record(VariantName, z.unknown())
    .refine((variants) => Object.keys(variants).length > 0, "expected at least one variant")
    .optional(),
  problems: anIterable,
  buildAgent: aFunction,
  resultChecker: aFunction,
  tools: z.array(aTool).default([]),
  concurrency: z.int().min(1).max(1_000).default(8),
  trials: z.int().min(1).max(1_000).default(1),
  limits: Limits.prefault({}),
  budget: Budget.optional(),
  stopAfterFailures: z
    .union([z.int().min(1), z.literal(false)], "expected a number of runs, or false to keep going")
    .default(5),
  isolation: z.enum(["process", "pool", "none"]).default("process"),
  env: z.array(Variable).default([]),
  permissions: Permissions.prefault({}),
  checker: z
    .strictObject({
      permissions: Permissions.optional(),
      env: z.array(Variable).optional(),
      gateway: z.boolean().optional(),
    })
    .prefault({}),
  trusted: z.boolean().default(false),
  gateway: z.boolean().default(false),
  providerFactory: aFunction.optional(),
  scripts: Scripts.default({}),
  modelOptions: z.record(z.string(), ModelOptions).default({}),
  prices: z.record(z.string(), Price).default({}),
  tags: z.array(z.string()).default([]),
  schedule: z.string().refine(isSchedule, "expected rate(1 day) or cron(0 8 * * ? *)").optional(),
  drift: Drift.optional(),
  gates: Gates.optional(),
  onUpdate: aFunction.optional(),
  onEntry: aFunction.optional(),
  signal: z.instanceof(AbortSignal).optional(),
  store: z.union([z.string().min(1), z.literal(false)], "expected a folder, or false for none").optional(),
});

/** The options after they were checked, with every default filled in. */
export type Definition = Omit<
  z.output<typeof Options>,
  "models" | "problems" | "buildAgent" | "resultChecker" | "tools" | "checker"
> & {
  readonly checker: ReturnType<typeof checkersMeans>;
  readonly models: readonly Model[];
  readonly problems: readonly Problem[];
  /** Places in the list of problems that were there before, and do not count again. */
  readonly repeated: readonly number[];
  /** As the user wrote them, for whoever calls the user's functions. */
  readonly options: EvaluationOptions;
};

/** Checks everything up front; the error names each place, what was expected and what came. */
export async function readDefinition(
  options: EvaluationOptions,
  digest: Digest,
  choice: ProblemChoice = {},
): Promise<Definition> {
  const checked = checkOptions(options);
  const repeated: number[] = [];
  const problems = await chooseProblems(readProblems(checked.problems, digest, repeated), choice, digest);
  return { ...checked, problems, repeated, options };
}

/** All of that check but the problems, which can be read only once. */
export function checkOptions(options: EvaluationOptions) {
  const parsed = Options.safeParse(options);
  const issues = parsed.error?.issues ?? [];
  const trouble = [...issues.map((issue) => describeIssue(issue, options)), ...modelTrouble(options)];
  if (!parsed.success || trouble.length > 0) throw invalid(trouble);
  const { buildAgent: _a, resultChecker: _c, tools: _t, ...rest } = parsed.data;
  const models = rest.models.flatMap(([providerKey, model]) => withVariants({ providerKey, model }, rest));
  return { ...rest, models, env: givenVariables(rest), checker: checkersMeans(rest) };
}

/** Makes one row of the plan of each variant, or of the model alone where there are none. */
const withVariants = (model: Model, { variants }: { variants?: object | undefined }): Model[] =>
  variants === undefined ? [model] : Object.keys(variants).map((variant) => ({ ...model, variant }));

type Means = Pick<z.output<typeof Options>, "checker" | "permissions" | "trusted" | "env" | "gateway">;

/** Gives the checker its own means where the evaluation has them, else the agent's. */
function checkersMeans({ checker, trusted, ...agents }: Means) {
  const { permissions = agents.permissions, env = agents.env, gateway = agents.gateway } = checker;
  const isTrusted = trusted && checker.permissions === undefined;
  return { permissions, gateway, trusted: isTrusted, env: givenVariables({ env, gateway }) };
}

/** The gateway's own address and key take the place of those that it replaces. */
const givenVariables = ({ env, gateway }: { env: readonly string[]; gateway: boolean }): string[] =>
  env.filter((name) => !(gateway && Object.hasOwn(GATEWAY_VARIABLES, name)));

async function* readProblems(
  items: EvaluationOptions["problems"],
  digest: Digest,
  repeated: number[],
): AsyncGenerator<Problem> {
  const read = problemReader(digest);
  let count = 0;
  for await (const item of readOut(items)) {
    const answer = read(item);
    if (answer.kind === "refused") throw invalid([`problems[${count}].${answer.path}: ${answer.why}`]);
    if (answer.kind === "repeated") repeated.push(count);
    else yield answer.problem;
    count++;
  }
}

/** An iterable is the user's code: when it throws, the message says so. */
async function* readOut(items: EvaluationOptions["problems"]): AsyncGenerator<unknown> {
  let count = 0;
  try {
    for await (const item of items) {
      yield item;
      count++;
    }
  } catch (cause) {
    if (isEvaluatorError(cause)) throw cause;
    const what = cause instanceof Error ? `${cause.name}: ${messageWithCauses(cause)}` : String(cause);
    throw new EvaluatorError(
      "problem.unreadable",
      `reading problems[${count}] threw ${what}; fix the code that produces the problems and run it again`,
      { cause },
    );
  }
}

function describeIssue(issue: z.core.$ZodIssue, options: unknown): string {
  if (issue.code === "unrecognized_keys") {
    const known = knownOptions(Options, issue.path);
    const given = issue.keys.map((key) => JSON.stringify(key)).join(", ");
    const [hint = ""] = issue.keys.map((key) => didYouMean(key, known)).filter((text) => text !== "");
    const there = known.length === 0 ? "" : `; the options are: ${known.join(", ")}${hint && `.${hint}`}`;
    return `${pathOf(issue.path)}unknown option ${given}${there}`;
  }
  if (issue.code === "invalid_key")
    return `${pathOf(issue.path)}${issue.issues.map(({ message }) => message).join(", ")}`;
  const came = issue.path.reduce<unknown>((value, key) => Object(value)[key], options);
  return `${pathOf(issue.path)}${whatWasExpected(issue.message)}; got ${brief(came)}`;
}

/** The value that came says more than zod's name for its type. */
const whatWasExpected = (message: string): string =>
  message.replace(/^Invalid (?:input|option): /, "").replace(/, received \w+$/, "");

const pathOf = (path: readonly PropertyKey[]): string =>
  path.length === 0
    ? ""
    : `${path.map((key, index) => (typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${String(key)}`)).join("")}: `;

function brief(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value === "bigint") return `${value}n`;
  const text = toText(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function toText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return "an object that is not JSON";
  }
}

const invalid = (lines: readonly string[]): EvaluatorError =>
  new EvaluatorError(
    "options.invalid",
    `the evaluation's options are not valid:\n${lines.map((line) => `  ${line}`).join("\n")}`,
  );

/** The names that an object at this place of a schema may have; empty where that cannot be said. */
function knownOptions(schema: unknown, path: readonly PropertyKey[]): string[] {
  const whole = unwrap(schema);
  const [key, ...rest] = path;
  if (key !== undefined) return knownOptions(stepInto(whole, key), rest);
  return whole instanceof z.ZodObject ? Object.keys(whole.shape) : [];
}

function unwrap(schema: unknown): unknown {
  const isWrapped =
    schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional;
  return isWrapped ? unwrap(schema.unwrap()) : schema;
}

function stepInto(schema: unknown, key: PropertyKey): unknown {
  if (schema instanceof z.ZodObject) return schema.shape[String(key)];
  if (schema instanceof z.ZodArray) return schema.element;
  return schema instanceof z.ZodRecord ? schema.valueType : undefined;
}
