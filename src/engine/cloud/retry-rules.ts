import {
  createRetryStrategy,
  type DurableContext,
  JitterStrategy,
  NestingType,
  type RetryDecision,
  withRetry,
} from "@aws/durable-execution-sdk-js";

/** AWS ends an execution that needs more than 3,000; the rest is for what an execution does beside its map. */
const OPERATIONS_FOR_MAP = 2_850;
/** Of them; what is left is for waits where much went wrong. */
const OPERATIONS_FOR_INVOCATIONS = 2_500;
const MAX_ATTEMPTS = 3;
const FIRST_DELAY_SECONDS = 5;
/** A wait and another invocation. */
const OPERATIONS_PER_RETRY = 2;

/** How often each of so many things may be invoked, even if all of them fail every time and leave `waits` behind. */
export function attemptsEach(count: number, waits = 0): number {
  const perThing = Math.floor(OPERATIONS_FOR_INVOCATIONS / Math.max(1, count)) - waits;
  return Math.min(MAX_ATTEMPTS, Math.max(1, 1 + Math.floor((perThing - 1) / OPERATIONS_PER_RETRY)));
}

/** The most shards that one execution can start. */
export const MAX_SHARDS = OPERATIONS_FOR_INVOCATIONS;

/**
 * How many shards that got lost an execution can wait for: all of them, unless there are more than 1,250 shards.
 * Which ones are the first may change from one replay to the next, by no more than are in flight.
 */
export function lostShardWaits(shards: number, inFlight: number): number {
  if (2 * shards <= OPERATIONS_FOR_INVOCATIONS) return shards;
  return Math.max(0, OPERATIONS_FOR_MAP - shards - inFlight);
}

interface Invocation {
  /** Of its operations; each attempt has its number behind it. */
  readonly name: string;
  readonly fn: string;
  readonly event: object;
  readonly retries: Retries;
  readonly tenantId?: string | null;
}

/** Invokes a function, again and again where it fails, and answers with what it said. */
export const invokeFunction = <Answer>(
  context: DurableContext,
  { name, fn, event, retries, tenantId = null }: Invocation,
): Promise<Answer> =>
  withRetry(
    context,
    (again, attempt) =>
      again.invoke<object, Answer>(`${name}-${attempt}`, fn, event, tenantId === null ? {} : { tenantId }),
    retries,
  );

interface Retries {
  readonly retryStrategy: (error: Error, attempt: number) => RetryDecision;
  /** A context of its own would cost an operation. */
  readonly wrapWithRunInChildContext: false;
}

/** `delaySeconds` is the wait before the first retry; it doubles, and chance keeps invocations apart. */
export const retryInvocations = (maxAttempts: number, delaySeconds = FIRST_DELAY_SECONDS): Retries => ({
  retryStrategy: createRetryStrategy({
    maxAttempts,
    initialDelay: { seconds: delaySeconds },
    jitter: JitterStrategy.HALF,
  }),
  wrapWithRunInChildContext: false,
});

/** Only an invocation that was refused: a shard that began and got lost may still have runs in flight. */
export function retryRefusedInvocations(maxAttempts: number, delaySeconds = FIRST_DELAY_SECONDS): Retries {
  const { retryStrategy, ...rest } = retryInvocations(maxAttempts, delaySeconds);
  return {
    ...rest,
    retryStrategy: (error, attempt) =>
      isRefusal(error) ? retryStrategy(error, attempt) : { shouldRetry: false },
  };
}

/** Whether an invocation never began. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error && /rate exceeded|too ?many ?requests|throttl/i.test(error.message);

/** How a map works through all of its items: by default it would stop at the first failure, and call that a success. */
export const everyItem = (maxConcurrency: number) => ({
  maxConcurrency,
  /** One operation per item instead of two. */
  nesting: NestingType.FLAT,
  completionConfig: { toleratedFailurePercentage: 100 },
});
