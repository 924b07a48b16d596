import {
  DurableExecutionAlreadyStartedException,
  GetAccountSettingsCommand,
  InvokeCommand,
  LambdaClient,
  LambdaServiceException,
  ListDurableExecutionsByFunctionCommand,
  StopDurableExecutionCommand,
  TooManyRequestsException,
} from "@aws-sdk/client-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, expect, test } from "vitest";
import { EvaluationId } from "../../../src/domain/ids.ts";
import { cloudEngine } from "../../../src/engine/cloud/cloud-engine.ts";
import { lambdaExecutions } from "../../../src/engine/cloud/executions.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { deployedHere } from "../../fixtures/cloud/deployed-definition.ts";
import { someMeans } from "../../fixtures/cloud/runner-means.ts";
import { doubles } from "../../fixtures/run/doubling-evaluation.ts";

const lambda = mockClient(LambdaClient);
const ORCHESTRATOR = "arn:aws:lambda:eu-west-1:123456789012:function:orchestrator:7";
const EXECUTION = `${ORCHESTRATOR}/durable-execution/doubles-today-1/e1`;
const ID = EvaluationId.parse("doubles-today");

beforeEach(() => {
  lambda.reset();
  lambda.on(InvokeCommand).resolves({ StatusCode: 202 });
  lambda.on(GetAccountSettingsCommand).resolves({});
});

const request = { evaluation: "doubles" };

test("a start stores the evaluation and begins an execution of its name", async () => {
  const { engine, store } = account();
  const record = await engine.start(request, { id: ID });
  expect(await store.findEvaluation(ID)).toEqual(record);
  expect(record).toMatchObject({
    status: "running",
    concurrency: 50,
    problemCount: 3,
    runnerVersion: ORCHESTRATOR,
  });
  expect(invocations()).toEqual([
    {
      FunctionName: ORCHESTRATOR,
      InvocationType: "Event",
      DurableExecutionName: "doubles-today-1",
      Payload: '{"v":1,"evaluationId":"doubles-today","round":1}',
    },
  ]);
});

test("the same start again begins the same execution, and stores nothing", async () => {
  const { engine } = account();
  const first = await engine.start(request, { id: ID });
  expect(await engine.start({ ...request, trials: 7 }, { id: ID })).toEqual(first);
  const [one, two] = invocations();
  expect(two).toEqual(one);
});

test("an execution that was started before is no trouble", async () => {
  lambda
    .on(InvokeCommand)
    .rejects(
      new DurableExecutionAlreadyStartedException({ message: "already", $metadata: {}, Type: "User" }),
    );
  await expect(account().engine.start(request)).resolves.toMatchObject({ status: "running" });
});

test.each([
  [new TooManyRequestsException({ message: "slow down", $metadata: {} }), "cloud.busy", true],
  [
    new LambdaServiceException({
      name: "AccessDeniedException",
      message: "no",
      $fault: "client",
      $metadata: {},
    }),
    "cloud.refused",
    false,
  ],
])("a refusal of Lambda is told: %s", async (error, code, retryable) => {
  lambda.on(InvokeCommand).rejects(error);
  const { engine } = account();
  await expect(engine.start(request, { id: ID })).rejects.toMatchObject({ code, retryable });
  // Nobody works on it, so it may be started again.
  lambda.on(InvokeCommand).resolves({ StatusCode: 202 });
  lambda.on(GetAccountSettingsCommand).resolves({});
  await expect(engine.start(request, { id: ID })).resolves.toMatchObject({ id: ID, status: "running" });
});

test.each([
  [{ evaluation: "other" }, "definition.unknown"],
  [{ ...request, limits: { timeoutSeconds: 890 } }, "evaluation.too_large"],
  [{ ...request, limits: { memoryMb: 9_000 } }, "evaluation.too_large"],
  [{ ...request, limits: { diskMb: 2_000 } }, "evaluation.too_large"],
  [{ ...request, problemIds: ["nope"] }, "problem.unknown"],
  [{ ...request, models: ["nobody/knows"] }, "options.invalid"],
  [{ ...request, models: ["bedrock/nova"] }, "provider.not_deployed"],
  [
    { ...request, problems: ["fine", { ask: [`Is this right?\nsk-proj-${"aB3".repeat(14)}`] }] },
    "problem.holds_key",
  ],
  [{ ...request, problems: [{ problem: 1, expected: `AIza${"x".repeat(35)}` }] }, "problem.holds_key"],
  [{ ...request, problems: [{ problem: { [`hf_${"a1".repeat(12)}`]: 1 } }] }, "problem.holds_key"],
  [{ ...request, tags: ["AKIAABCDEFGHIJKLMNOP"] }, "tag.holds_key"],
  [{ ...request, models: ["openai/gpt-5-mini", "anthropic/claude"] }, "provider.not_deployed"],
])("a request that cannot be run is refused: %j", async (wrong, code) => {
  const { engine } = account();
  await expect(engine.start(wrong as typeof request)).rejects.toMatchObject({ code });
  expect(invocations()).toEqual([]);
});

test("models that the runner cannot call are refused with what to do, key by key", async () => {
  const models = ["openai/a", "bedrock/b", "gemini/c", "openai-compatible:groq/d"] as never[];
  await expect(account().engine.start({ ...request, models })).rejects.toThrow(
    [
      "this deployment cannot call all of these models:",
      "  bedrock: the runner may only call models that the `models` of a deployed definition name; add it there and deploy again",
      "  gemini: set the secret GeminiApiKey or GoogleApiKey with npx sst secret set, and deploy again",
      "  openai-compatible:groq: name it in the `models` of a deployed definition, set the secret GroqBaseUrl with npx sst secret set, and deploy again",
    ].join("\n"),
  );
});

test("words about keys are no keys", async () => {
  const problems = ["What is an Authorization: Bearer header?", "Is sk-learn good?", "AKIA is a prefix"];
  await expect(account().engine.start({ ...request, problems })).resolves.toMatchObject({ problemCount: 3 });
});

test("a growth is refused a key too, and the refusal does not repeat it", async () => {
  const { engine, store } = account();
  const record = await engine.start(request, { id: ID });
  await store.updateEvaluation({ ...record, status: "finished" });
  const key = `sk-ant-${"aB3".repeat(14)}`;
  const grown = engine.grow(ID, { problems: [7, `use ${key}`] });
  await expect(grown).rejects.toMatchObject({ code: "problem.holds_key" });
  await expect(grown).rejects.toThrow(/^problems\[1] contains what looks like an API key/);
  await expect(grown).rejects.not.toThrow(key);
});

test("a runner with what they need takes them", async () => {
  const variables = ["GOOGLE_API_KEY", "GROQ_BASE_URL"];
  const { engine } = account({ ...someMeans, variables, callsBedrock: true });
  const models = ["bedrock/b", "gemini/c", "openai-compatible:groq/d"] as never[];
  await expect(engine.start({ ...request, models })).resolves.toMatchObject({ status: "running" });
});

test("the longest run is that of the runner's own timeout", async () => {
  const { engine } = account({ ...someMeans, timeoutSeconds: 360 });
  await expect(engine.start({ ...request, limits: { timeoutSeconds: 300 } })).resolves.toBeDefined();
  await expect(engine.start({ ...request, limits: { timeoutSeconds: 301 } })).rejects.toThrow(
    /ends after 360 s .* set it to at most 300, or deploy with a larger/,
  );
});

test("more runs than an execution can hold are refused", async () => {
  const problems = Array.from({ length: 50_000 }, (_, number) => number);
  const { engine } = account();
  await expect(engine.start({ ...request, problems, trials: 20 })).rejects.toMatchObject({
    code: "evaluation.too_large",
  });
});

test.each([
  [8, 10, true],
  [9, 10, false],
  [1, 2, true],
  [900, 1_000, true],
  [999, 1_000, false],
])(
  "%i in flight, where an account runs %i functions at once, may start: %s",
  async (concurrency, places, may) => {
    lambda
      .on(GetAccountSettingsCommand)
      .resolves({ AccountLimit: { UnreservedConcurrentExecutions: places } });
    const { engine } = account();
    const started = engine.start({ ...request, concurrency });
    if (may) return expect(started).resolves.toMatchObject({ concurrency });
    await expect(started).rejects.toMatchObject({ code: "evaluation.too_large" });
    return expect(started).rejects.toThrow(`set it to at most ${places - 2}, or ask AWS for more`);
  },
);

test("an account that does not say how many functions it runs at once is not asked twice", async () => {
  lambda
    .on(GetAccountSettingsCommand)
    .rejects(new LambdaServiceException({ name: "AccessDeniedException", $fault: "client", $metadata: {} }));
  await expect(account().engine.start({ ...request, concurrency: 500 })).resolves.toBeDefined();
  expect(lambda.commandCalls(GetAccountSettingsCommand)).toHaveLength(1);
});

test("a cancel is a flag for the round that runs, whose execution goes on to its end", async () => {
  const { engine, store } = account();
  const { id } = await engine.start(request);
  executionIs("RUNNING");
  await engine.cancel(id);
  expect(await store.isCancelRequested(id, 1)).toBe(true);
  expect(await store.isCancelRequested(id, 2)).toBe(false);
  expect(invocations()).toHaveLength(1);
  expect(stopped()).toEqual([]);
});

test.each(["FAILED", "TIMED_OUT", "STOPPED", null])(
  "a cancel of a round whose execution is %s begins one that hears the flag and ends the round",
  async (status) => {
    const { engine, store } = account();
    await engine.start(request, { id: ID });
    executionIs(status);
    await engine.cancel(ID);
    expect(await store.isCancelRequested(ID, 1)).toBe(true);
    expect(invocations().slice(1)).toEqual([
      {
        FunctionName: ORCHESTRATOR,
        InvocationType: "Event",
        DurableExecutionName: expect.stringMatching(/^doubles-today-1-stop-\d+$/),
        Payload: '{"v":1,"evaluationId":"doubles-today","round":1,"isStop":true}',
      },
    ]);
  },
);

test("a second cancel stops an execution that did not hear the first, and ends its round by another", async () => {
  lambda.on(StopDurableExecutionCommand).resolves({});
  const { engine } = account();
  await engine.start(request, { id: ID });
  executionIs("RUNNING");
  await engine.cancel(ID);
  await engine.cancel(ID);
  expect(stopped()).toEqual([EXECUTION]);
  expect(invocations().at(-1)?.DurableExecutionName).toMatch(/^doubles-today-1-stop-/);
});

test("a cancel that could not look the execution up has asked for nothing", async () => {
  const { engine, store } = account();
  await engine.start(request, { id: ID });
  lambda
    .on(ListDurableExecutionsByFunctionCommand)
    .rejects(new TooManyRequestsException({ message: "slow down", $metadata: {} }));
  await expect(engine.cancel(ID)).rejects.toMatchObject({ code: "cloud.busy", retryable: true });
  expect(await store.isCancelRequested(ID, 1)).toBe(false);
});

test("what has ended cannot be cancelled", async () => {
  const { engine, store } = account();
  const record = await engine.start(request);
  await store.updateEvaluation({ ...record, status: "finished" });
  await expect(engine.cancel(record.id)).rejects.toMatchObject({ code: "evaluation.not_running" });
});

test.each([
  ["finished", undefined, 2],
  ["cancelled", undefined, 2],
  ["running", "FAILED", 2],
  ["running", "TIMED_OUT", 2],
  ["running", null, 1],
] as const)(
  "a retry of one that is %s, its execution %s, works on round %i",
  async (status, execution, round) => {
    const { engine, store } = account();
    const record = await engine.start(request, { id: ID });
    await store.updateEvaluation({ ...record, status, runnerVersion: "older:6" });
    executionIs(execution ?? null);
    await expect(engine.retry(ID)).resolves.toMatchObject({ round, status: "running", stats: null });
    // What is left of an execution that died starts no further run.
    const isLeft = status === "running" && round === 2;
    expect(await store.isCancelRequested(ID, 1)).toBe(isLeft);
    const payload = { v: 1, evaluationId: ID, round };
    expect(JSON.parse(invocations().at(-1)?.Payload ?? "")).toEqual({
      ...payload,
      ...(isLeft ? { isAfterStop: true } : {}),
    });
    expect(invocations().at(-1)).toMatchObject({
      FunctionName: "older:6",
      DurableExecutionName: `doubles-today-${round}`,
    });
  },
);

test("a stop of a round that never began does not stop the retry", async () => {
  const { engine, store } = account();
  await engine.start(request, { id: ID });
  executionIs(null);
  await engine.cancel(ID);
  const { round } = await engine.retry(ID);
  expect(await store.isCancelRequested(ID, round)).toBe(false);
  expect(invocations().at(-1)).toMatchObject({ DurableExecutionName: `doubles-today-${round}` });
});

test("one that is still running is not retried", async () => {
  const { engine } = account();
  await engine.start(request, { id: ID });
  executionIs("RUNNING");
  await expect(engine.retry(ID)).rejects.toMatchObject({ code: "evaluation.running" });
  const [{ args } = { args: [] }] = lambda.commandCalls(ListDurableExecutionsByFunctionCommand);
  expect(args[0]?.input).toEqual({
    FunctionName: "arn:aws:lambda:eu-west-1:123456789012:function:orchestrator",
    Qualifier: "7",
    DurableExecutionName: "doubles-today-1",
  });
});

test("of a retry and a check at once one is refused, and the other's round is executed", async () => {
  const { engine, store } = account();
  const record = await engine.start(request, { id: ID });
  await store.updateEvaluation({ ...record, status: "finished" });
  const tries = await Promise.allSettled([engine.retry(ID), engine.check(ID)]);
  const [begun] = tries.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const refused = tries.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
  expect(refused).toEqual(["evaluation.running"]);
  expect(await store.findEvaluation(ID)).toEqual(begun);
  expect(invocations().slice(1)).toHaveLength(1);
});

test("a check begins a round of the code that is deployed now, and a retry after it one of the evaluation's own", async () => {
  const { engine, store } = account();
  const record = await engine.start(request, { id: ID });
  await store.updateEvaluation({ ...record, status: "finished", runnerVersion: "older:6" });
  const checking = await engine.check(ID);
  expect(checking).toMatchObject({
    status: "running",
    round: 2,
    runnerVersion: "older:6",
    recheck: { round: 2, fingerprint: "f", runnerVersion: ORCHESTRATOR, unchecked: null },
  });
  expect(invocations().at(-1)).toMatchObject({
    FunctionName: ORCHESTRATOR,
    DurableExecutionName: "doubles-today-2",
  });
  executionIs("RUNNING");
  await expect(engine.check(ID)).rejects.toMatchObject({ code: "evaluation.running" });
  await expect(engine.grow(ID, { trials: 5 })).rejects.toMatchObject({ code: "evaluation.running" });
  // One that was never begun is no round that a retry could go on with.
  executionIs(null);
  await expect(engine.retry(ID)).resolves.toMatchObject({ round: 3, recheck: { round: 2 } });
  expect(invocations().at(-1)).toMatchObject({
    FunctionName: "older:6",
    DurableExecutionName: "doubles-today-3",
  });
});

test("a check of a round whose execution died waits for what it may have left running", async () => {
  const { engine, store } = account();
  await engine.start(request, { id: ID });
  executionIs("FAILED");
  await engine.check(ID);
  expect(await store.isCancelRequested(ID, 1)).toBe(true);
  expect(JSON.parse(invocations().at(-1)?.Payload ?? "")).toEqual({
    v: 1,
    evaluationId: ID,
    round: 2,
    isAfterStop: true,
  });
});

test("a growth is an evaluation of the code that is deployed now, and is the same one under the same id", async () => {
  const { engine, store } = account();
  const record = await engine.start(request, { id: ID });
  await store.updateEvaluation({ ...record, status: "finished", runnerVersion: "older:6" });
  const id = EvaluationId.parse("doubles-more");
  const grown = await engine.grow(ID, { trials: 5, limits: { timeoutSeconds: 7 } }, { id });
  expect(grown).toMatchObject({ id, grownFrom: ID, round: 1, trials: 5, runnerVersion: ORCHESTRATOR });
  expect(grown.limits.timeoutSeconds).toBe(7);
  expect(await engine.grow(ID, { trials: 5 }, { id })).toEqual(grown);
  const names = invocations().map(({ DurableExecutionName }) => DurableExecutionName);
  expect(names).toEqual(["doubles-today-1", "doubles-more-1", "doubles-more-1"]);
  await expect(engine.grow(ID, { trials: 5, limits: { timeoutSeconds: 890 } })).rejects.toMatchObject({
    code: "evaluation.too_large",
  });
});

function account(runner = someMeans) {
  const store = memoryStore();
  const engine = cloudEngine({
    store,
    executions: lambdaExecutions(new LambdaClient({ region: "eu-west-1" }), ORCHESTRATOR),
    definitions: async () => deployedHere(doubles(3)),
    runner,
    clock: systemClock,
    random: Math.random,
  });
  return { store, engine };
}

/** How Lambda says that the evaluation's execution stands; null: it knows none. */
function executionIs(Status: string | null): void {
  const DurableExecutions = Status === null ? [] : [{ Status, DurableExecutionArn: EXECUTION }];
  lambda
    .on(ListDurableExecutionsByFunctionCommand)
    .resolves({ DurableExecutions: DurableExecutions as never });
}

const stopped = () =>
  lambda.commandCalls(StopDurableExecutionCommand).map(({ args: [{ input }] }) => input.DurableExecutionArn);

const invocations = () =>
  lambda.commandCalls(InvokeCommand).map(({ args: [{ input }] }) => ({
    ...input,
    Payload: new TextDecoder().decode(input.Payload as Uint8Array),
  }));
