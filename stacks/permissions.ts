/** What a statement of the table below may be about. */
export type Thing =
  | "table"
  | "indexes"
  | "bodies"
  | "problems"
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
const ENTRIES = "evaluation#*#runs#*";
const PROGRESS = "evaluation#*#progress#*";

const GET = ["dynamodb:GetItem"];
const READ = [...GET, "dynamodb:Query"];
const PUT = ["dynamodb:PutItem"];
const UPDATE = ["dynamodb:UpdateItem"];

/** A problem that is too large for the table is an object, and whoever reads entries reads their problems. */
const PROBLEMS: Grant = { actions: ["s3:GetObject"], on: "problems" };

const start: readonly Grant[] = [
  { actions: [...READ, ...PUT, ...UPDATE], on: "table", keys: [EVALUATIONS, REQUESTS] },
  { actions: ["s3:GetObject", "s3:PutObject"], on: "problems" },
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
    PROBLEMS,
    { actions: ["lambda:InvokeFunction"], on: "shard" },
    { actions: ["lambda:InvokeFunction"], on: "aggregator" },
    { actions: ["sqs:SendMessage"], on: "failures" },
  ],
  Shard: [
    { actions: [...READ, ...PUT], on: "table", keys: [EVALUATIONS] },
    PROBLEMS,
    { actions: ["lambda:InvokeFunction"], on: "runner" },
    { actions: ["lambda:InvokeFunction"], on: "aggregator" },
  ],
  Runner: [
    { actions: GET, on: "table", keys: [EVALUATIONS] },
    { actions: PUT, on: "table", keys: [ENTRIES] },
    { actions: UPDATE, on: "table", keys: [PROGRESS, LIMITERS] },
    PROBLEMS,
    { actions: ["s3:PutObject"], on: "bodies" },
  ],
  Aggregator: [{ actions: [...READ, ...PUT, ...UPDATE], on: "table", keys: [EVALUATIONS] }, PROBLEMS],
} satisfies Record<string, readonly Grant[]>;

/** Added to the runner's when a definition names a model of Bedrock. */
export const BEDROCK: Grant = {
  actions: ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"],
  on: "models",
};
