export type {
  Agent,
  AgentFunction,
  AgentStep,
  OpenTools,
  RunContext,
  Tool,
  ToolSource,
} from "./agent/agent.ts";
export { NoAnswerError } from "./agent/agent.ts";
export type { McpServer } from "./agent/mcp-server.ts";
export { mcpTools } from "./agent/mcp-tools.ts";
export { type NodeAnswer, nodeTool, type ProcessingUnit } from "./agent/node-tool.ts";
export { SimpleAgent, type SimpleAgentOptions } from "./agent/simple-agent.ts";
export { defineTool, type ToolDefinition } from "./agent/tools.ts";
export { AgentEvaluator, type EvaluationResult, type RunOneOptions } from "./agent-evaluator.ts";
export type { CheckContext, Checker, Finding, Verdict } from "./checkers/checker.ts";
export {
  all,
  any,
  type FromScorerOptions,
  fromScorer,
  not,
  type ScorerResult,
  type WeightedOptions,
  weighted,
} from "./checkers/combine.ts";
export {
  deepEqual,
  type ExactOptions,
  exact,
  type IncludesOptions,
  includes,
  matches,
  type NumericOptions,
  numeric,
  schema,
  subset,
} from "./checkers/compare.ts";
export { type JudgeOptions, judge } from "./checkers/judge.ts";
export {
  type ToolCalledOptions,
  type ToolSequenceOptions,
  toolCalled,
  toolSequence,
} from "./checkers/tool-calls.ts";
export { defaultProviderFactory } from "./child/providers.ts";
export type { Columns, Dataset, DatasetRow, TextRow } from "./datasets/datasets.ts";
export {
  type CsvOptions,
  csv,
  type HuggingFaceOptions,
  huggingface,
  type JsonlOptions,
  jsonl,
} from "./datasets/datasets.ts";
export type { Budget } from "./domain/budget.ts";
export { EvaluatorError } from "./domain/errors.ts";
export type { EvaluationRecord } from "./domain/evaluation.ts";
export type { GatewayAccess, SdkAccess } from "./domain/gateway-access.ts";
export type { Json } from "./domain/json.ts";
export type { Limits } from "./domain/limits.ts";
export type { ModelKey, ModelPair } from "./domain/model.ts";
export type { Failure, FailureCause, Fault } from "./domain/run/failure.ts";
export type { Attempt, CapturedOutput, LogEntry, RunBody, TranscriptStep } from "./domain/run/log-entry.ts";
export type { CallUsage, Price, Usage } from "./domain/run/usage.ts";
export type { DriftAlarm, DriftInput } from "./domain/stats/drift.ts";
export type { Estimate, Interval } from "./domain/stats/estimate.ts";
export type { ModelStats } from "./domain/stats/stats.ts";
export {
  defineEvaluation,
  type EvaluationOptions,
  type IsolationKind,
  type Permissions,
} from "./engine/definition/definition.ts";
export type { ModelOptions } from "./providers/model-options.ts";
export {
  type CallOptions,
  type ChatProvider,
  type ChatReply,
  type ChatRequest,
  type Message,
  type Part,
  ProviderError,
  type ProviderFactory,
  type ToolCall,
  type ToolSpec,
} from "./providers/provider.ts";
export type { ScriptRule, Scripts } from "./providers/scripted.ts";
export type { EvaluationReport, ModelComparison, ModelReport } from "./statistics/report.ts";
