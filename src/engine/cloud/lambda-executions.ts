import {
  DurableExecutionAlreadyStartedException,
  type Execution,
  InvokeCommand,
  LambdaClient,
  ListDurableExecutionsByFunctionCommand,
  StopDurableExecutionCommand,
} from "@aws-sdk/client-lambda";
import { EvaluatorError } from "../../domain/errors.ts";
import type { ExecutionState, Executions } from "./executions.ts";

/** The orchestrator as a Lambda function; `version` is the ARN of one of its versions. */
export const lambdaExecutions = (lambda: LambdaClient, version: string): Executions => ({
  version,
  async start(FunctionName, name, event) {
    const command = new InvokeCommand({
      FunctionName,
      InvocationType: "Event",
      DurableExecutionName: name,
      Payload: new TextEncoder().encode(JSON.stringify(event)),
    });
    await lambda.send(command).catch((error: unknown) => {
      // Names are made of what is to be done, so whoever came first does the same.
      if (error instanceof DurableExecutionAlreadyStartedException) return;
      throw refused(`execution ${name} could not be started`, error);
    });
  },
  describe: async (functionName, name) =>
    stateOf((await find(lambda, functionName, name)).map(({ Status }) => Status)),
  async stop(functionName, name) {
    for (const { Status, DurableExecutionArn } of await find(lambda, functionName, name)) {
      if (Status !== "RUNNING") continue;
      await lambda.send(new StopDurableExecutionCommand({ DurableExecutionArn })).catch((error: unknown) => {
        throw refused(`execution ${name} could not be stopped`, error);
      });
    }
  },
});

/** The same with a client of its own, which tries again when it is throttled. */
export const openExecutions = (version: string): Executions =>
  lambdaExecutions(new LambdaClient({ maxAttempts: 5 }), version);

/** All of that name, which is one at most; the function may be one of its versions. */
async function find(lambda: LambdaClient, FunctionName: string, name: string): Promise<Execution[]> {
  const [, arn = FunctionName, Qualifier] = /^(arn:(?:[^:]*:){5}[^:]+):([^:]+)$/.exec(FunctionName) ?? [];
  const command = new ListDurableExecutionsByFunctionCommand({
    FunctionName: arn,
    ...(Qualifier === undefined ? {} : { Qualifier }),
    DurableExecutionName: name,
  });
  const { DurableExecutions = [] } = await lambda.send(command).catch((error: unknown) => {
    throw refused(`execution ${name} could not be looked up`, error);
  });
  return DurableExecutions;
}

function stateOf(statuses: readonly (string | undefined)[]): ExecutionState {
  if (statuses.length === 0) return "unknown";
  return statuses.includes("RUNNING") ? "running" : "ended";
}

const BUSY = ["TooManyRequestsException", "ThrottlingException", "ServiceException"];

function refused(what: string, error: unknown): EvaluatorError {
  const name = error instanceof Error ? error.name : "";
  const isBusy = BUSY.includes(name);
  const next = isBusy ? "try again in a moment" : "look at the function's policy and that it is deployed";
  const why = error instanceof Error ? `${name}: ${error.message}` : String(error);
  return new EvaluatorError(isBusy ? "cloud.busy" : "cloud.refused", `${what} (${why}); ${next}`, {
    cause: error,
  });
}
