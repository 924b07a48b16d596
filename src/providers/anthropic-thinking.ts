import type Anthropic from "@anthropic-ai/sdk";
import { claudeVersion } from "./claude-version.ts";
import type { ChatRequest } from "./contract.ts";

type Effort = NonNullable<Anthropic.OutputConfig["effort"]>;

/** How a request asks a Claude to think, and what it may then not ask for. */
export interface ThinkingPlan {
  readonly maxTokens: number;
  readonly thinking?: { type: "enabled"; budget_tokens: number } | { type: "adaptive" };
  readonly effort?: Effort;
  readonly temperature?: number;
}

const FIRST_WITH_THINKING = 307;
const FIRST_ADAPTIVE = 406;
/** From here on the models refuse a temperature. */
const FIRST_WITHOUT_TEMPERATURE = 407;

const ROOM_BEFORE_THINKING = 4_096;
const ROOM = 16_000;
const ADAPTIVE_ROOM = 32_000;
const BUDGETS = { minimal: 0, low: 2_000, medium: 8_000, high: 16_000 } as const;
const SMALLEST_BUDGET = 1_024;
const EFFORTS = { minimal: "low", low: "low", medium: "medium", high: "high" } as const;

export function planThinking(request: ChatRequest): ThinkingPlan {
  // Who speaks Anthropic's protocol without being a Claude mostly speaks that of its first thinking models.
  const version = claudeVersion(request.model) ?? FIRST_WITH_THINKING;
  if (version >= FIRST_ADAPTIVE) return planAdaptive(request, version);
  const budget = version < FIRST_WITH_THINKING ? 0 : planBudget(request);
  const room = version < FIRST_WITH_THINKING ? ROOM_BEFORE_THINKING : ROOM + budget;
  const maxTokens = request.maxTokens ?? room;
  if (budget === 0) return { maxTokens, ...temperatureOf(request) };
  return { maxTokens, thinking: { type: "enabled", budget_tokens: budget } };
}

function planAdaptive(request: ChatRequest, version: number): ThinkingPlan {
  const { reasoningEffort: effort, maxTokens = ADAPTIVE_ROOM } = request;
  const thinks = effort !== undefined && effort !== "minimal" && !forcesTool(request);
  const mayHaveTemperature = version < FIRST_WITHOUT_TEMPERATURE && !thinks;
  return {
    maxTokens,
    ...(thinks ? { thinking: { type: "adaptive" } } : {}),
    ...(effort === undefined ? {} : { effort: EFFORTS[effort] }),
    ...(mayHaveTemperature ? temperatureOf(request) : {}),
  };
}

/** The thinking is part of the tokens that the caller allows, so half of them stay for the answer. */
function planBudget(request: ChatRequest): number {
  if (request.reasoningEffort === undefined || forcesTool(request)) return 0;
  const wanted = BUDGETS[request.reasoningEffort];
  const budget = Math.min(wanted, Math.floor((request.maxTokens ?? Number.POSITIVE_INFINITY) / 2));
  return budget < SMALLEST_BUDGET ? 0 : budget;
}

/** A call that has to use a tool may not think. */
const forcesTool = ({ tools = [], toolChoice = "auto" }: ChatRequest): boolean =>
  tools.length > 0 && toolChoice !== "auto" && toolChoice !== "none";

const temperatureOf = ({ temperature }: ChatRequest): { temperature?: number } =>
  temperature === undefined ? {} : { temperature };
