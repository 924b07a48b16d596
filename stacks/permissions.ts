/** Thing that a statement of the table below may be about. */
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
  | "drift"
  | "models"
  | "account";

export interface Grant {
  readonly actions: readonly string[];
  readonly on: Thing;
  /** Partition keys of the table that it holds for. */
  readonly keys?: readonly string[];
  /** Those of them that it does not hold for. */
  readonly except?: readonly string[];
}

const EVALUATIONS = "evaluation#*";
const REQUESTS = "request#*";
const NAMED = "name#*";
const INDEXED = ["evaluations", NAMED, "run#*"];
const LIMITERS = "limiter#*";
const ENTRIES = "evaluation#*#runs#*";
const PROGRESS = "evaluation#*#progress#*";
const SPEND = ["evaluation#*#spend", "evaluation#*#spend#*"];
/** All but the partition with its record, its ranges and the sums of its shards. */
const PARTS = "evaluation#*#*";

const GET = ["dynamodb:GetItem"];
const READ = [...GET, "dynamodb:Query"];
/** Several items at once, of what is counted in several. */
const BATCH = ["dynamodb:BatchGetItem"];
const PUT = ["dynamodb:PutItem"];
const UPDATE = ["dynamodb:UpdateItem"];
const INVOKE = ["lambda:InvokeFunction"];
const EXECUTIONS = ["lambda:ListDurableExecutionsByFunction", "lambda:StopDurableExecution"];

/** How many functions may run at once, of which IAM knows only everything. */
const SETTINGS: Grant = { actions: ["lambda:GetAccountSettings"], on: "account" };

/** A problem that is too large for the table is an object, and whoever reads entries reads their problems. */
const PROBLEMS: Grant = { actions: ["s3:GetObject"], on: "problems" };

/** Rights of functions, which have no others. Each row becomes one IAM statement. */
export const PERMISSIONS = {
  Api: [
    { actions: [...READ, ...BATCH], on: "table", keys: [EVALUATIONS, REQUESTS] },
    { actions: [...PUT, ...UPDATE], on: "table", keys: [EVALUATIONS, REQUESTS], except: [ENTRIES] },
    { actions: ["dynamodb:Query"], on: "indexes", keys: INDEXED },
    { actions: ["s3:GetObject", "s3:PutObject"], on: "problems" },
    { actions: ["s3:GetObject"], on: "bodies" },
    { actions: [...INVOKE, ...EXECUTIONS], on: "orchestrator" },
    SETTINGS,
  ],
  Schedule: [
    { actions: [...GET, ...PUT], on: "table", keys: [EVALUATIONS], except: [ENTRIES] },
    { actions: ["s3:PutObject"], on: "problems" },
    { actions: INVOKE, on: "orchestrator" },
    SETTINGS,
    { actions: ["sqs:SendMessage"], on: "failures" },
  ],
  Orchestrator: [
    { actions: READ, on: "table", keys: [EVALUATIONS] },
    { actions: PUT, on: "table", keys: [EVALUATIONS], except: [PARTS] },
    PROBLEMS,
    { actions: INVOKE, on: "shard" },
    { actions: INVOKE, on: "aggregator" },
    { actions: ["sqs:SendMessage"], on: "failures" },
  ],
  Shard: [
    { actions: [...READ, ...BATCH, ...PUT], on: "table", keys: [EVALUATIONS] },
    { actions: UPDATE, on: "table", keys: [PROGRESS] },
    PROBLEMS,
    { actions: ["s3:GetObject", "s3:PutObject"], on: "bodies" },
    { actions: INVOKE, on: "runner" },
    { actions: INVOKE, on: "aggregator" },
  ],
  Runner: [
    { actions: [...READ, ...BATCH], on: "table", keys: [EVALUATIONS] },
    { actions: PUT, on: "table", keys: [ENTRIES] },
    { actions: UPDATE, on: "table", keys: [PROGRESS, ...SPEND] },
    { actions: [...GET, ...UPDATE], on: "table", keys: [LIMITERS] },
    PROBLEMS,
    { actions: ["s3:GetObject", "s3:PutObject"], on: "bodies" },
  ],
  Aggregator: [
    { actions: READ, on: "table", keys: [EVALUATIONS] },
    { actions: [...PUT, ...UPDATE], on: "table", keys: [EVALUATIONS], except: [PARTS] },
    { actions: ["dynamodb:Query"], on: "indexes", keys: ["evaluations", NAMED] },
    PROBLEMS,
    { actions: ["sns:Publish"], on: "drift" },
  ],
} satisfies Record<string, readonly Grant[]>;

/** Added to the runner's when a definition names a model of Bedrock. */
export const BEDROCK: Grant = {
  actions: ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"],
  on: "models",
};
