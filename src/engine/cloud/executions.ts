import {
  DurableExecutionAlreadyStartedException,
  type Execution,
  GetAccountSettingsCommand,
  InvokeCommand,
  LambdaClient,
  ListDurableExecutionsByFunctionCommand,
  StopDurableExecutionCommand,
} from "@aws-sdk/client-lambda";
import * as z from "zod";
import { EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { EvaluationId } from "../../domain/ids.ts";
import { isChecking } from "../../domain/run/verdict.ts";
import { sha256 } from "../../system/digest.ts";
import type { EvaluationEvent } from "./events.ts";

/** State of a durable execution; `unknown`: none of that name was started. */
export type ExecutionState = "running" | "ended" | "unknown";

/** The executions of evaluations' present rounds, each by the version of the orchestrator that its round started with. */
export interface Executions {
  /** The version that new evaluations are given to, with all it calls. */
  readonly version: string;
  /** Starts the round's execution and does not wait for it; one that was started before is left alone. */
  start(record: EvaluationRecord, flags?: RoundFlags): Promise<void>;
  /** Starts another one, for a round whose own execution does not end it. */
  account(record: EvaluationRecord, now: Date): Promise<void>;
  describe(record: EvaluationRecord): Promise<ExecutionState>;
  /** Ends one that is running where it stands; it is not heard of again. */
  stop(record: EvaluationRecord): Promise<void>;
  /** How many functions may run at once that have no places of their own; null where the account does not say. */
  places(): Promise<number | null>;
}

type RoundFlags = Pick<EvaluationEvent, "isAfterStop" | "isStop">;

export const roundEvent = ({ id, round }: EvaluationRecord, flags: RoundFlags = {}): EvaluationEvent => ({
  v: 1,
  evaluationId: id,
  round,
  ...flags,
});

/** Event that EventBridge Scheduler sends; a second delivery says the same. */
export const ScheduleEvent = z.object({ evaluation: z.string().min(1), scheduledAt: z.iso.datetime() });
export type ScheduleEvent = z.infer<typeof ScheduleEvent>;

/** Made of definition and date, so that what is delivered twice starts once. */
export function scheduledId({ evaluation, scheduledAt }: ScheduleEvent): EvaluationId {
  const word = evaluation
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 24);
  const at = new Date(scheduledAt).toISOString().slice(0, 16).replaceAll(/[-:]/g, "").toLowerCase();
  // Names that differ elsewhere are told apart too.
  return EvaluationId.parse(`${word || "evaluation"}-${at}-${sha256(evaluation).slice(0, 6)}`);
}

const MAX_LENGTH = 64;

/** The same for every attempt to start a round, and made of the letters that Lambda takes. */
export const executionName = (id: EvaluationId, round: number): string =>
  fitted(`${id}-${round}`, `${round}`);

/** Of the execution that ends a cancelled round; should it get lost as well, a cancel a minute later begins another. */
const stopName = (id: EvaluationId, round: number, now: Date): string => {
  const ending = `${round}-stop-${Math.floor(now.getTime() / 60_000)}`;
  return fitted(`${id}-${ending}`, ending);
};

function fitted(name: string, ending: string): string {
  if (name.length <= MAX_LENGTH && /^[\w-]+$/.test(name)) return name;
  return `${sha256(name).slice(0, 40)}-${ending}`;
}

/** The orchestrator as a Lambda function; `version` is the ARN of one of its versions. */
export function lambdaExecutions(lambda: LambdaClient, version: string): Executions {
  // A round that checks has the checker, and with it all other code, of its own time.
  const versionOf = (record: EvaluationRecord): string =>
    (isChecking(record) ? record.recheck?.runnerVersion : record.runnerVersion) ?? version;
  const start = async (FunctionName: string, name: string, event: EvaluationEvent): Promise<void> => {
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
  };
  const findOf = (record: EvaluationRecord) =>
    find(lambda, versionOf(record), executionName(record.id, record.round));
  return {
    version,
    start: (record, flags) =>
      start(versionOf(record), executionName(record.id, record.round), roundEvent(record, flags)),
    account: (record, now) =>
      start(versionOf(record), stopName(record.id, record.round, now), roundEvent(record, { isStop: true })),
    describe: async (record) => stateOf((await findOf(record)).map(({ Status }) => Status)),
    async stop(record) {
      for (const { Status, DurableExecutionArn } of await findOf(record)) {
        if (Status !== "RUNNING") continue;
        await lambda
          .send(new StopDurableExecutionCommand({ DurableExecutionArn }))
          .catch((error: unknown) => {
            throw refused(`the execution of evaluation ${record.id} could not be stopped`, error);
          });
      }
    },
    async places() {
      // It only spares a wait: what cannot be had now is waited for by the execution.
      const { AccountLimit } = await lambda
        .send(new GetAccountSettingsCommand({}))
        .catch((): { AccountLimit?: undefined } => ({}));
      return AccountLimit?.UnreservedConcurrentExecutions ?? null;
    },
  };
}

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
  const next = isBusy
    ? "try again in a moment"
    : "check that the function is deployed and what its policy allows";
  const why = error instanceof Error ? `${name}: ${error.message}` : String(error);
  return new EvaluatorError(isBusy ? "cloud.busy" : "cloud.refused", `${what} (${why}); ${next}`, {
    cause: error,
  });
}
