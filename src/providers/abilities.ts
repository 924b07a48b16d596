import { definedFields } from "../domain/json.ts";
import { isImage } from "../domain/run/parts.ts";
import type { ChatRequest, Effort } from "./provider.ts";

/** Abilities of the models of one family; what they would refuse is left out of a request, or said in another way. */
export interface Abilities {
  /** The efforts that they can be asked for; none where they cannot be asked to think. */
  readonly efforts: readonly Effort[];
  /** How an effort is said: by its name, as a budget of tokens, or by its name beside adaptive thinking. */
  readonly thinking: "effort" | "budget" | "adaptive";
  /** What switches adaptive thinking off; null where nothing has to be said. */
  readonly off: "disabled" | "between_tools" | null;
  readonly temperature: "always" | "without thinking" | "never";
  /** Whether they take a temperature and a top-p at once. */
  readonly bothSamplings: boolean;
  /** Whether they can be made to call a named tool, only some tool, or none. */
  readonly forcedTools: "named" | "any" | "none";
  /** Whether their thinking is refused once anything before it has changed. */
  readonly bindsThinking: boolean;
  /** Whether an answer can be held to a JSON Schema. */
  readonly schemas: "always" | "without tools" | "never";
  /** Where they take the images that a tool gave. */
  readonly resultImages: "inside" | "after" | "nowhere";
  /** Whether they cache what stands before a cache point, and nothing else. */
  readonly cachePoints: boolean;
}

/** One family, or a part of it: models from a version on, whose names fit. */
interface Row extends Partial<Abilities> {
  readonly from?: number;
  readonly named?: RegExp;
}

const PLAIN: Abilities = {
  efforts: [],
  thinking: "effort",
  off: null,
  temperature: "always",
  bothSamplings: true,
  forcedTools: "named",
  bindsThinking: false,
  schemas: "always",
  resultImages: "inside",
  cachePoints: false,
};

const UP_TO_HIGH = ["low", "medium", "high"] as const;
const UP_TO_XHIGH = [...UP_TO_HIGH, "xhigh"] as const;
const UP_TO_MAX = [...UP_TO_XHIGH, "max"] as const;
const BUDGETS = ["none", "minimal", ...UP_TO_HIGH] as const;

const CLAUDE = { forcedTools: "named", cachePoints: true, bothSamplings: false } as const;
const ADAPTIVE_CLAUDE = { ...CLAUDE, thinking: "adaptive", temperature: "never" } as const;
const BOUND_CLAUDE = { ...ADAPTIVE_CLAUDE, forcedTools: "none", bindsThinking: true } as const;
const BUDGET_CLAUDE = { ...CLAUDE, thinking: "budget", temperature: "without thinking" } as const;
const BEFORE_GEMINI_3 = { schemas: "without tools", resultImages: "after" } as const;
const LEVELS = { schemas: "always", thinking: "effort" } as const;

/** The first row that fits a model counts. */
const TABLE = {
  claude: [
    { from: Number.POSITIVE_INFINITY, named: /mythos-preview/, ...ADAPTIVE_CLAUDE, efforts: UP_TO_MAX },
    { from: 501, named: /sonnet/, ...BOUND_CLAUDE, efforts: ["none", ...UP_TO_MAX], off: "between_tools" },
    { from: 501, named: /haiku/, ...BOUND_CLAUDE, efforts: ["none", ...UP_TO_MAX], off: "disabled" },
    { from: 501, ...BOUND_CLAUDE, efforts: UP_TO_MAX },
    { from: 500, named: /fable|mythos/, ...ADAPTIVE_CLAUDE, efforts: UP_TO_MAX },
    { from: 500, ...ADAPTIVE_CLAUDE, efforts: ["none", ...UP_TO_MAX], off: "disabled" },
    { from: 407, ...ADAPTIVE_CLAUDE, efforts: ["none", ...UP_TO_MAX] },
    {
      from: 406,
      ...ADAPTIVE_CLAUDE,
      efforts: ["none", ...UP_TO_HIGH, "max"],
      temperature: "without thinking",
    },
    { from: 405, ...BUDGET_CLAUDE, efforts: BUDGETS },
    { from: 307, ...BUDGET_CLAUDE, efforts: BUDGETS, schemas: "never" },
    { schemas: "never" },
  ],
  openai: [
    // Only by its name: the API does not say which models reason.
    { named: /^(?!(?:ft:)?(?:o\d|gpt-[5-9]|gpt-\d\d|codex))|-chat(?:-|$)/ },
    { named: /^(?:ft:)?(?:o\d|codex)/, efforts: UP_TO_HIGH, temperature: "never" },
    { from: 501, named: /-pro\b/, efforts: ["medium", "high", "xhigh"], temperature: "never" },
    { named: /-pro\b/, efforts: ["high"], temperature: "never" },
    { from: 502, named: /-codex/, efforts: UP_TO_XHIGH, temperature: "never" },
    { named: /-codex-max/, efforts: UP_TO_XHIGH, temperature: "never" },
    { named: /-codex/, efforts: UP_TO_HIGH, temperature: "never" },
    { from: 506, efforts: ["none", ...UP_TO_MAX], temperature: "without thinking" },
    { from: 502, efforts: ["none", ...UP_TO_XHIGH], temperature: "without thinking" },
    { from: 501, efforts: ["none", ...UP_TO_HIGH], temperature: "without thinking" },
    { efforts: ["minimal", ...UP_TO_HIGH], temperature: "never" },
  ],
  gemini: [
    { from: 308, ...LEVELS, efforts: UP_TO_HIGH },
    { from: 301, named: /\bpro\b/, ...LEVELS, efforts: UP_TO_HIGH },
    { from: 300, named: /\bpro\b/, ...LEVELS, efforts: ["low", "high"] },
    { from: 300, ...LEVELS, efforts: ["minimal", ...UP_TO_HIGH] },
    {
      from: 205,
      named: /\bpro\b/,
      thinking: "budget",
      efforts: ["minimal", ...UP_TO_HIGH],
      ...BEFORE_GEMINI_3,
    },
    { from: 205, thinking: "budget", efforts: BUDGETS, ...BEFORE_GEMINI_3 },
    BEFORE_GEMINI_3,
  ],
  bedrock: [
    { named: /\bopenai\.gpt-oss/, efforts: UP_TO_HIGH, forcedTools: "none", resultImages: "nowhere" },
    { named: /\bamazon\.nova-2/, efforts: BUDGETS, schemas: "never" },
    { named: /\bamazon\.nova/, schemas: "never" },
    { named: /\b(?:mistral|deepseek)\./, forcedTools: "any", schemas: "never", resultImages: "nowhere" },
    {
      named: /\b(?:openai|qwen|moonshot|moonshotai|minimax|nvidia|zai)\./,
      forcedTools: "none",
      resultImages: "nowhere",
    },
    { forcedTools: "none", schemas: "never", resultImages: "nowhere" },
  ],
  chat: [
    // They think unless told otherwise, and no thinking model of theirs can be made to call a tool.
    {
      named:
        /deepseek-(?:reasoner|r1|v4)|kimi-k2[.-](?:thinking|[5-9])|qwq|qwen3?[^/]*thinking|qwen3\.[5-9]/i,
      efforts: ["none", "minimal", ...UP_TO_MAX],
      forcedTools: "none",
      resultImages: "after",
    },
    { efforts: ["none", "minimal", ...UP_TO_MAX], resultImages: "after" },
  ],
} as const satisfies Readonly<Record<string, readonly Row[]>>;

/** Finds what a model takes from a provider, by the first word of that provider's key. */
export function abilitiesOf(providerWord: string, model: string): Abilities {
  switch (providerWord) {
    case "anthropic":
      // Who speaks Anthropic's protocol without being a Claude mostly speaks that of its first thinking models.
      return claudeAbilities(model) ?? { ...find(TABLE.claude, model, 307), cachePoints: false };
    case "openai":
      return find(TABLE.openai, model, versionIn(/gpt-(\d.*)/.exec(model)?.[1] ?? "") ?? 0);
    case "gemini":
      return find(TABLE.gemini, model, geminiVersion(model) ?? 0);
    case "bedrock":
      return claudeAbilities(model) ?? find(TABLE.bedrock, model, 0);
    default:
      return find(TABLE.chat, model, 0);
  }
}

function claudeAbilities(model: string): Abilities | null {
  const name = /claude-(.*)/.exec(model)?.[1];
  return name === undefined ? null : find(TABLE.claude, model, versionIn(name) ?? Number.POSITIVE_INFINITY);
}

const find = (rows: readonly Row[], model: string, version: number): Abilities => ({
  ...PLAIN,
  ...rows.find(({ from = 0, named }) => version >= from && (named?.test(model) ?? true)),
});

/** Reads which Gemini a model is; one without a number is the newest, null none at all. */
export function geminiVersion(model: string): number | null {
  const name = /gemini-(.*)/.exec(model)?.[1];
  return name === undefined ? null : (versionIn(name) ?? Number.POSITIVE_INFINITY);
}

/**
 * The version in a model's name, as major × 100 + minor: 405 for `haiku-4-5`. A release date follows in the same way
 * as a minor version, but has more digits.
 */
function versionIn(name: string): number | null {
  const numbers = /(?:^|-)(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(name);
  return numbers === null ? null : Number(numbers[1]) * 100 + Number(numbers[2] ?? 0);
}

/** From the least to the most. */
const IN_ORDER: readonly Effort[] = ["none", "minimal", ...UP_TO_MAX];

/** The effort to ask for: the next lower one where a model does not have the wanted one, else its lowest. */
export function effortFor({ reasoningEffort: wanted }: ChatRequest, { efforts }: Abilities): Effort | null {
  if (wanted === undefined || efforts.length === 0) return null;
  const lower = IN_ORDER.slice(0, IN_ORDER.indexOf(wanted) + 1).toReversed();
  const fitting = lower.find(
    (effort) => efforts.includes(effort) && (effort !== "none" || wanted === "none"),
  );
  return fitting ?? efforts.find((effort) => effort !== "none") ?? null;
}

/** Whether a call has to use a tool. */
const forcesTool = ({ tools = [], toolChoice = "auto" }: ChatRequest): boolean =>
  tools.length > 0 && toolChoice !== "auto" && toolChoice !== "none";

/** Says whether a request makes the model think before it answers. */
export function asksToThink(request: ChatRequest, abilities: Abilities): boolean {
  const effort = effortFor(request, abilities);
  if (abilities.thinking === "effort") return abilities.efforts.length > 0 && effort !== "none";
  const { reasoningEffort = "none" } = request;
  if (reasoningEffort === "none" || reasoningEffort === "minimal") return false;
  return effort !== null && !forcesTool(request);
}

/** Picks the sampling settings that a model takes. */
export function samplingOf(
  request: ChatRequest,
  abilities: Abilities,
): { readonly temperature?: number; readonly topP?: number } {
  const { temperature, topP } = request;
  const takesAny =
    abilities.temperature === "always" ||
    (abilities.temperature === "without thinking" && !asksToThink(request, abilities));
  if (!takesAny) return {};
  const isEnough = temperature !== undefined && !abilities.bothSamplings;
  return definedFields({ temperature, topP: isEnough ? undefined : topP });
}

/**
 * The same request in words where the model cannot be made to call the tool. They come last: what was said before
 * them must not change.
 */
export function withoutForcing(
  request: ChatRequest,
  { forcedTools }: Abilities,
  role: "user" | "system" = "user",
): ChatRequest {
  const { toolChoice = "auto", messages } = request;
  const isNamed = typeof toolChoice === "object";
  if (!forcesTool(request) || forcedTools === "named" || (forcedTools === "any" && !isNamed)) return request;
  const which = isNamed ? `the tool ${toolChoice.name}` : "one of the tools";
  const content = `Answer now by calling ${which}, and with nothing else.`;
  return {
    ...request,
    toolChoice: forcedTools === "any" ? "required" : "auto",
    messages: [...messages, { role, content }],
  };
}

/** The fields of a request that a protocol has no word for. */
const UNKNOWN_FIELDS: Readonly<Record<string, readonly ("seed" | "stop")[]>> = {
  openai: ["seed", "stop"],
  anthropic: ["seed"],
  bedrock: ["seed"],
};

const hasResultImage = ({ messages }: ChatRequest): boolean =>
  messages.some(
    ({ role, content }) => role === "tool" && typeof content !== "string" && content.some(isImage),
  );

/** Says what of a request its model does not get as it was asked for. */
export function requestWarnings(providerWord: string, request: ChatRequest): string[] {
  const abilities = abilitiesOf(providerWord, request.model);
  const { model, reasoningEffort: wanted } = request;
  const sampling = samplingOf(request, abilities);
  const samplings = [
    ["temperature", request.temperature, sampling.temperature] as const,
    ["top-p", request.topP, sampling.topP] as const,
  ];
  const effort = effortFor(request, abilities);
  const unknown = (UNKNOWN_FIELDS[providerWord] ?? []).filter((field) => request[field] !== undefined);
  return [
    ...(wanted === undefined || effort === wanted
      ? []
      : [
          effort === null
            ? `${model} cannot be asked for a reasoning effort: "${wanted}" was left out`
            : `${model} has no reasoning effort "${wanted}": it was asked for "${effort}"`,
        ]),
    ...samplings.flatMap(([name, asked, sent]) =>
      asked === sent ? [] : [`${model} does not accept ${name} here: ${asked} was left out`],
    ),
    ...(withoutForcing(request, abilities) === request
      ? []
      : [`${model} cannot be made to call a tool: the prompt asks for it instead`]),
    ...(abilities.resultImages === "nowhere" && hasResultImage(request)
      ? [`${model} does not accept images from tools: they were left out`]
      : []),
    ...unknown.map((field) => `${model} does not accept ${field} from this provider: it was left out`),
  ];
}
