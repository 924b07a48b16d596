import {
  createRetryStrategy,
  type DurableContext,
  JitterStrategy,
  NestingType,
  type RetryDecision,
  withRetry,
} from "@aws/durable-execution-sdk-js";

/** AWS ends an execution that needs more than 3,000; the rest is for what an execution does beside its map. */
const OPERATIONS_FOR_MAP = 2_800;
/** Of them; what is left is for waits where much went wrong. */
const OPERATIONS_FOR_INVOCATIONS = 2_500;

/** The most shards that one execution can start. */
export const MAX_SHARDS = OPERATIONS_FOR_INVOCATIONS;

/** What a map of so many invocations may spend when not all of them succeed at once. */
interface Spare {
  readonly pool: RetryPool;
  /** Of things that got lost: how many of them can be waited for. */
  readonly waits: number;
}

/** Spare operations of a shard for its runs: enough to invoke each of 500 three times. */
export const spareForRuns = (runs: number): RetryPool => new RetryPool(OPERATIONS_FOR_INVOCATIONS - runs);

/**
 * Spare operations of an evaluation for its shards. It can wait for every shard that got lost, unless there are more
 * than 1,250 shards. Which ones are the first may change from one replay to the next, by no more than are in flight.
 */
export function spareForShards(shards: number, inFlight: number): Spare {
  const spare = Math.max(0, OPERATIONS_FOR_MAP - shards - inFlight);
  const waits = 2 * shards <= OPERATIONS_FOR_INVOCATIONS ? shards : Math.floor(spare / 2);
  return { waits, pool: new RetryPool(spare - waits) };
}

/** Spare operations of an invocation of the aggregator, beside a map. */
export const spareForEnd = (): RetryPool => new RetryPool(40);

/** Number of times that an invocation may get lost by default. */
export const MAX_LOSSES = 3;

/** The retries that invocations may share: each takes operations of the execution, a wait and another invocation. */
export class RetryPool {
  #left: number;

  constructor(operations: number) {
    this.#left = Math.floor(operations / 2);
  }

  get left(): number {
    return this.#left;
  }

  take(): boolean {
    if (this.#left <= 0) return false;
    this.#left--;
    return true;
  }
}

interface Invocation {
  /** Of its operations; each attempt has its number behind it. */
  readonly name: string;
  readonly fn: string;
  readonly event: object;
  readonly retries: RetryRules;
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
    // A context of its own would cost an operation.
    { retryStrategy: retryStrategy(retries), wrapWithRunInChildContext: false },
  );

interface RetryRules {
  readonly pool: RetryPool;
  /** How often an invocation may begin and get lost; one that was refused never began, and is made for as long as the pool lasts. */
  readonly maxLosses: number;
  /** The wait before the first retry; it doubles, and chance keeps invocations apart. */
  readonly delaySeconds?: number | undefined;
  readonly longestDelaySeconds?: number | undefined;
}

const FIRST_DELAY_SECONDS = 5;
const LONGEST_DELAY_SECONDS = 120;
/** How long an invocation should be refused before it is given up. */
const PATIENCE_SECONDS = 12 * 3_600;
/** Where the account has places again, nobody sleeps for longer than this. */
const MAX_DELAY_SECONDS = 3_600;

/** Waits with which the retries of a pool last for hours, when so many invocations at a time use it. */
export function patience({ left }: RetryPool, sharers = 1) {
  const retries = Math.max(1, left / sharers);
  const between = (least: number, seconds: number, most: number) =>
    Math.ceil(Math.min(most, Math.max(least, seconds)));
  const longestDelaySeconds = between(LONGEST_DELAY_SECONDS, PATIENCE_SECONDS / retries, MAX_DELAY_SECONDS);
  const delaySeconds = between(FIRST_DELAY_SECONDS, PATIENCE_SECONDS / 2 ** retries, longestDelaySeconds);
  return { delaySeconds, longestDelaySeconds };
}

/** Strategy for one invocation: it counts what happened to this one, so that a replay decides the same. */
export function retryStrategy({
  pool,
  maxLosses,
  delaySeconds = FIRST_DELAY_SECONDS,
  longestDelaySeconds = LONGEST_DELAY_SECONDS,
}: RetryRules) {
  const delays = createRetryStrategy({
    maxAttempts: Number.POSITIVE_INFINITY,
    initialDelay: { seconds: delaySeconds },
    maxDelay: { seconds: longestDelaySeconds },
    jitter: JitterStrategy.HALF,
  });
  let losses = 0;
  return (error: Error, attempt: number): RetryDecision => {
    const isGone = !isRefusal(error) && ++losses >= maxLosses;
    return !isGone && pool.take() ? delays(error, attempt) : { shouldRetry: false };
  };
}

/** How an invocation that never began is refused. The SDK passes on no more of it than its message. */
const REFUSAL = /^(?:rate exceeded|too ?many ?requests|throttl)/i;

/** Says whether an invocation never began: too many functions are running at once. A function that began has other words. */
export const isRefusal = (error: unknown): boolean => error instanceof Error && REFUSAL.test(error.message);

/** Error of a shard that could not start all of its runs: invoked again, it starts the others. */
export const refusedRuns = (count: number): Error =>
  new Error(`Too many requests: ${count} runs were refused for too long and have not started`);

/** Options of a map that does all of its items: by default it would stop at the first failure, and call that a success. */
export const everyItem = (maxConcurrency: number) => ({
  maxConcurrency,
  /** One operation per item instead of two. */
  nesting: NestingType.FLAT,
  completionConfig: { toleratedFailurePercentage: 100 },
});
