export type {
  Agent,
  AgentFunction,
  AgentStep,
  OpenTools,
  RunContext,
  Tool,
  ToolSource,
} from "./agent/contract.ts";
export { defineTool, type ToolDefinition } from "./agent/define-tool.ts";
export { type McpServer, mcpTools } from "./agent/mcp-tools.ts";
export { NoAnswerError } from "./agent/no-answer-error.ts";
export { type NodeAnswer, nodeTool, type ProcessingUnit } from "./agent/node-tool.ts";
export { SimpleAgent, type SimpleAgentOptions } from "./agent/simple-agent.ts";
export { AgentEvaluator, type EvaluationResult, type RunOneOptions } from "./agent-evaluator.ts";
export type { CheckContext, Checker, Finding, Verdict } from "./checkers/contract.ts";
export { deepEqual } from "./checkers/deep-equal.ts";
export { type ExactOptions, exact } from "./checkers/exact.ts";
export { type FromScorerOptions, fromScorer, type ScorerResult } from "./checkers/from-scorer.ts";
export { type IncludesOptions, includes } from "./checkers/includes.ts";
export { type JudgeOptions, judge } from "./checkers/judge.ts";
export { all, any, not } from "./checkers/logic.ts";
export { matches } from "./checkers/matches.ts";
export { type NumericOptions, numeric } from "./checkers/numeric.ts";
export { schema } from "./checkers/schema.ts";
export { subset } from "./checkers/subset.ts";
export { type ToolCalledOptions, toolCalled } from "./checkers/tool-called.ts";
export { type ToolSequenceOptions, toolSequence } from "./checkers/tool-sequence.ts";
export { type WeightedOptions, weighted } from "./checkers/weighted.ts";
export { type CsvOptions, csv } from "./datasets/csv.ts";
export type { Columns, Dataset, Row, RowMap } from "./datasets/dataset.ts";
export { type HuggingFaceOptions, huggingface } from "./datasets/huggingface.ts";
export { type JsonlOptions, jsonl } from "./datasets/jsonl.ts";
export type { Budget } from "./domain/budget.ts";
export type { DriftAlarm, DriftInput } from "./domain/drift.ts";
export type { EvaluationRecord } from "./domain/evaluation.ts";
export { EvaluatorError } from "./domain/evaluator-error.ts";
export type { Failure, FailureCause, Fault } from "./domain/failure.ts";
export type { GatewayAccess, SdkAccess } from "./domain/gateway-access.ts";
export type { Json } from "./domain/json.ts";
export type { Limits } from "./domain/limits.ts";
export type { Attempt, LogEntry } from "./domain/log-entry.ts";
export type { ModelKey, ModelPair } from "./domain/model.ts";
export type { ModelStats } from "./domain/model-stats.ts";
export type { Price } from "./domain/price.ts";
export type { CapturedOutput, RunBody } from "./domain/run-body.ts";
export type { EvaluationReport, ModelComparison } from "./domain/statistics/evaluation-report.ts";
export type { Estimate, Interval } from "./domain/statistics/interval.ts";
export type { ModelReport } from "./domain/statistics/model-report.ts";
export type { TranscriptStep } from "./domain/transcript.ts";
export type { CallUsage, Usage } from "./domain/usage.ts";
export { defaultProviderFactory } from "./engine/default-provider-factory.ts";
export {
  defineEvaluation,
  type EvaluationOptions,
  type IsolationKind,
  type Permissions,
} from "./engine/definition.ts";
export type {
  CallOptions,
  ChatProvider,
  ChatReply,
  ChatRequest,
  Message,
  ProviderFactory,
  ToolCall,
  ToolSpec,
} from "./providers/contract.ts";
export { ProviderError } from "./providers/provider-error.ts";
export type { ScriptRule, Scripts } from "./providers/scripted.ts";
