/** What a statement of the table below may be about. */
export type Thing =
  | "table"
  | "indexes"
  | "bodies"
  | "orchestrator"
  | "shard"
  | "runner"
  | "aggregator"
  | "failures"
  | "models";

export interface Grant {
  readonly actions: readonly string[];
  readonly on: Thing;
  /** Partition keys of the table that it holds for. */
  readonly keys?: readonly string[];
}

const EVALUATIONS = "evaluation#*";
const REQUESTS = "request#*";
const LIMITERS = "limiter#*";
const RUNS_OF_AN_EVALUATION = "run#*";

const READ = ["dynamodb:GetItem", "dynamodb:Query"];
const PUT = ["dynamodb:PutItem"];
const UPDATE = ["dynamodb:UpdateItem"];

const start: readonly Grant[] = [
  { actions: [...READ, ...PUT, ...UPDATE], on: "table", keys: [EVALUATIONS, REQUESTS] },
  { actions: ["lambda:InvokeFunction"], on: "orchestrator" },
];

/** Who may do what; nobody else may do anything. Each row becomes one IAM statement. */
export const PERMISSIONS = {
  Api: [
    ...start,
    { actions: ["dynamodb:Query"], on: "indexes" },
    { actions: ["s3:GetObject"], on: "bodies" },
    { actions: ["lambda:ListDurableExecutionsByFunction"], on: "orchestrator" },
  ],
  Schedule: [...start, { actions: ["sqs:SendMessage"], on: "failures" }],
  Orchestrator: [
    { actions: [...READ, ...PUT, ...UPDATE], on: "table", keys: [EVALUATIONS] },
    { actions: ["lambda:InvokeFunction"], on: "shard" },
    { actions: ["lambda:InvokeFunction"], on: "aggregator" },
    { actions: ["sqs:SendMessage"], on: "failures" },
  ],
  Shard: [
    { actions: [...READ, ...PUT], on: "table", keys: [EVALUATIONS] },
    { actions: ["lambda:InvokeFunction"], on: "runner" },
    { actions: ["lambda:InvokeFunction"], on: "aggregator" },
  ],
  Runner: [
    { actions: [...READ, ...PUT], on: "table", keys: [EVALUATIONS] },
    { actions: UPDATE, on: "table", keys: [EVALUATIONS, LIMITERS] },
    { actions: ["dynamodb:Query"], on: "indexes", keys: [RUNS_OF_AN_EVALUATION] },
    { actions: ["s3:PutObject"], on: "bodies" },
  ],
  Aggregator: [{ actions: [...READ, ...PUT, ...UPDATE], on: "table", keys: [EVALUATIONS] }],
} satisfies Record<string, readonly Grant[]>;

/** Added to the runner's when a definition names a model of Bedrock. */
export const BEDROCK: Grant = {
  actions: ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"],
  on: "models",
};
