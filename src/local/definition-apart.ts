import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { bundleDefinition } from "../bundle/build-bundle.ts";
import type { DefinitionBundle } from "../bundle/bundle.ts";
import { foldersUp, nearestPackageFolder, type OtherVersion } from "../bundle/places.ts";
import { CHILD_FLAG } from "../child/reentry.ts";
import { ERROR_STATUS, type ErrorCode, EvaluatorError } from "../domain/errors.ts";
import type { OtherCommit } from "../domain/evaluation.ts";
import { GATEWAY_VARIABLES } from "../domain/gateway-access.ts";
import { Limits } from "../domain/limits.ts";
import { HIDDEN_KEY, Redactor } from "../domain/redact.ts";
import { ItemParts } from "../domain/run/problem-item.ts";
import type { EvaluationOptions } from "../engine/definition/definition.ts";
import { checkOptions } from "../engine/definition/read-definition.ts";
import { hasWord, refuseUnwrittenPowers } from "../engine/definition/written-powers.ts";
import type { SentDefinition } from "../isolation/isolation.ts";
import type { Echo } from "../isolation/parent/child-handle.ts";
import { definitionVariables } from "../providers/secrets.ts";
import { DefinitionProcess, type SentProblems } from "./definition-process.ts";
import {
  type LoadedDefinition,
  loadDefinition,
  noDefault,
  scriptRefusal,
  threwWhileLoading,
} from "./load-definition.ts";
import { findCommit, layOutCommit } from "./other-commit.ts";
import { childModule, reaperFile } from "./own-files.ts";
import { reviveOptions } from "./revive-options.ts";

/** What a definition may do beyond reading its project. */
interface DefinitionMeans {
  readonly env: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly spawn: boolean;
  readonly addons: boolean;
  readonly trusted: boolean;
}

const NOTHING: DefinitionMeans = {
  ...{ env: [], read: [], write: [], spawn: false, addons: false, trusted: false },
};

interface ApartOptions {
  /** Evaluates the code anew where it is loaded here. */
  readonly again?: number;
  /** Overrules the definition's own. */
  readonly isolation?: EvaluationOptions["isolation"] | undefined;
  /** Another commit, as it is stored or as the user wrote it, whose version of the file is evaluated too. */
  readonly against?: OtherCommit | string | undefined;
}

/**
 * Reads a definition in a process of its own, which sees no keys: plain data comes back, and functions that are not for
 * the evaluator to call. Its problems are read with the means that it gives its runs.
 */
export async function loadDefinitionApart(
  file: string,
  { against: given, ...options }: ApartOptions = {},
): Promise<LoadedDefinition> {
  if (given === undefined) return loadVersions(file, options);
  const against = typeof given === "string" ? await findCommit(file, given) : given;
  return { ...(await loadVersions(file, options, await layOutCommit(file, against))), against };
}

async function loadVersions(
  file: string,
  { again = 0, isolation }: Omit<ApartOptions, "against">,
  other?: OtherVersion,
): Promise<LoadedDefinition> {
  if (isolation === "none") return loadDefinition(file, again, other);
  const bundle = await bundleDefinition(file, { childModule: childModule(), other });
  const text = ownText(file, bundle);
  // What is loaded here as well prints there too, so it is held back for a moment; who loads for long is heard.
  let held: Parameters<Echo>[] | null = NAMES_EVALUATOR.test(text) ? [] : null;
  const release = () => {
    for (const chunk of held ?? []) print(...chunk);
    held = null;
  };
  const echo: Echo = (...chunk) => (held === null ? print(...chunk) : void held.push(chunk));
  const timer = setTimeout(release, HELD_MS);
  let isForEvaluator = false;
  try {
    const means = { ...NOTHING, read: other ? [other.root] : [] };
    const first = await describeApart(file, bundle, means, echo);
    const env = withheld(reviveOptions(first), text);
    // What it prints it has printed.
    const sent =
      env.length === 0 ? first : await describeApart(file, bundle, { ...means, env }, () => undefined);
    const options = reviveOptions(sent);
    refuseHidden(sent, text);
    refuseUnwrittenPowers(options, text, process.env);
    isForEvaluator = asksForEvaluator(sent, isolation ?? options.isolation);
    return isForEvaluator
      ? await loadDefinition(file, again, other)
      : withProblems(file, bundle, sent, options);
  } finally {
    clearTimeout(timer);
    if (!isForEvaluator) release();
  }
}

/** Adds the problems, read at once or when they are asked for. */
function withProblems(
  file: string,
  bundle: DefinitionBundle,
  sent: SentDefinition,
  options: EvaluationOptions,
): LoadedDefinition {
  if (!sent.hasProblems) return { options, bundle };
  const all = sent.problems?.map((item) => new ItemParts(item));
  const later = () => problemsApart(file, bundle, meansOf({ ...options, problems: [] }));
  return { options: { ...options, problems: all ?? new LaterProblems(later, sent.problemCount) }, bundle };
}

async function describeApart(
  file: string,
  bundle: DefinitionBundle,
  means: DefinitionMeans,
  echo: Echo,
): Promise<SentDefinition> {
  await using apart = startApart(file, bundle, means, echo);
  const sent = heardDefinition(await apart.describe(), file, bundle);
  if (sent.options === null) throw noDefault(file);
  return sent;
}

function heardDefinition(
  said: Awaited<ReturnType<DefinitionProcess["describe"]>>,
  file: string,
  bundle: DefinitionBundle,
): SentDefinition {
  switch (said.kind) {
    case "definition":
      return said;
    case "evaluates":
      throw scriptRefusal(file);
    case "threw":
      throw threwWhileLoading(file, bundle.mapStack(said.stack === "" ? said.message : said.stack));
  }
}

/** The variables that it gives its runs and that it did not see. */
function withheld({ env, gateway }: EvaluationOptions, text: string): string[] {
  refuseUnwrittenPowers({ env }, text, process.env);
  const seen = definitionVariables(process.env);
  return [env ?? []]
    .flat()
    .filter(
      (name) => process.env[name] !== seen[name] && !(gateway && Object.hasOwn(GATEWAY_VARIABLES, name)),
    );
}

function refuseHidden({ options }: SentDefinition, text: string): void {
  const isHidden = ([, value]: [string, unknown]) => JSON.stringify(value).includes(HIDDEN_KEY);
  const found = Object.entries(options ?? {}).find(isHidden);
  if (found === undefined) return;
  const given = new Set<unknown>([Object(options).env].flat());
  const seen = Object.entries(definitionVariables(process.env));
  const names = seen.flatMap(([name, value]) =>
    value === HIDDEN_KEY && !given.has(name) && hasWord(text, name) ? [name] : [],
  );
  throw new EvaluatorError(
    "options.invalid",
    `${found[0]} is made of a variable that is hidden while a definition is read, because it may hold a key: ` +
      `${names.join(" or ") || "one that a package reads"}. Name it in env, so that the evaluation and its runs have it`,
  );
}

/** Words of what only the evaluator's own process can do. */
const NAMES_EVALUATOR = /\bon(?:Update|Entry)\b|["'`]none["'`]/;

const asksForEvaluator = (
  { functions }: SentDefinition,
  isolation: EvaluationOptions["isolation"],
): boolean => isolation === "none" || functions.some(([name]) => name === "onUpdate" || name === "onEntry");

/** The user's own files as text: the one that was asked for, and what it imports outside of packages. */
const ownText = (file: string, { inputs }: DefinitionBundle): string =>
  [...new Set([resolve(file), ...inputs])].map((path) => readFileSync(path, "utf8")).join("\n");

/** Longer than a definition takes to load that waits for nothing. */
const HELD_MS = 10_000;

const print: Echo = (name, chunk) => void process[name].write(chunk);

/** What the definition gives its runs it has itself. */
function meansOf(options: EvaluationOptions): DefinitionMeans {
  const { env, permissions, trusted } = checkOptions(options);
  return { ...permissions, env, trusted };
}

function startApart(
  file: string,
  bundle: DefinitionBundle,
  { env, ...access }: DefinitionMeans,
  echo: Echo,
): DefinitionProcess {
  const variables = { ...definitionVariables(process.env), ...pick(process.env, env) };
  const cache = join(homedir(), ".cache", "agent-evaluator", "datasets");
  const means = {
    access: { ...access, read: [...access.read, cache], write: [...access.write, cache] },
    allowedVariables: Object.keys(variables),
  };
  return new DefinitionProcess({
    bundle: { ...bundle, readable: [...bundle.readable, projectOf(bundle), ...ownFolders()] },
    childArgs: [CHILD_FLAG, "definition", dirname(file)],
    means: { run: means, check: means },
    limits: Limits.parse({ memoryMb: 4_096 }),
    variables,
    cwd: process.cwd(),
    redactor: new Redactor([]),
    reaperFile: reaperFile(),
    echo,
  });
}

const pick = (from: NodeJS.ProcessEnv, names: readonly string[]) =>
  Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));

/** Our own code, which it loads when it needs it, and the packages that this uses. */
function ownFolders(): string[] {
  const own = dirname(childModule());
  const packages = foldersUp(own).map((folder) => join(folder, "node_modules"));
  return [own, ...packages.filter((folder) => existsSync(folder))];
}

/** The repository of an evaluation, or else its package. */
function projectOf({ readable: [folder = process.cwd()] }: DefinitionBundle): string {
  const repository = foldersUp(folder).find((above) => existsSync(join(above, ".git")));
  return repository ?? nearestPackageFolder(folder) ?? folder;
}

/** Most that are asked for at once; the first time one, so that nothing is read that nobody wants. */
const MOST_AT_ONCE = 1_000;

async function* problemsApart(
  file: string,
  bundle: DefinitionBundle,
  means: DefinitionMeans,
): AsyncGenerator<ItemParts> {
  // What it prints while it is loaded was printed when it was described.
  let isLoaded = false;
  await using apart = startApart(file, bundle, means, (...printed) => isLoaded && print(...printed));
  heardDefinition(await apart.describe(), file, bundle);
  isLoaded = true;
  for (let most = 1, isLast = false; !isLast; most = Math.min(most * 2, MOST_AT_ONCE)) {
    const said: SentProblems = await apart.problems(most);
    for (const item of said.items) yield new ItemParts(item);
    if (said.threw !== null) throw toError(said.threw);
    isLast = said.isLast;
  }
}

function toError({ name, code, message }: NonNullable<SentProblems["threw"]>): Error {
  if (code !== null && Object.hasOwn(ERROR_STATUS, code))
    return new EvaluatorError(code as ErrorCode, message);
  const error = new Error(message);
  error.name = name === "" ? "Error" : name;
  return error;
}

/** Problems that are read when they are asked for. */
class LaterProblems implements AsyncIterable<unknown> {
  readonly #read: () => AsyncGenerator<ItemParts>;
  /** How many there are, where that is known. */
  readonly length: number | undefined;

  constructor(read: () => AsyncGenerator<ItemParts>, count: number | null) {
    this.#read = read;
    this.length = count ?? undefined;
  }

  [Symbol.asyncIterator](): AsyncGenerator<ItemParts> {
    return this.#read();
  }
}
