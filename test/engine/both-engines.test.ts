import { LocalDurableTestRunner } from "@aws/durable-execution-sdk-js-testing";
import { afterAll, beforeAll, describe } from "vitest";
import type { EvaluationId } from "../../src/domain/ids.ts";
import type { EvaluationOptions } from "../../src/engine/definition/definition.ts";
import type { GrowRequest } from "../../src/engine/engine.ts";
import { checkAgain } from "../../src/engine/local/check-again.ts";
import { dynamoStore } from "../../src/store/dynamo/dynamo-store.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { growthTests } from "../contract/engine/growth.ts";
import { recheckTests } from "../contract/engine/recheck.ts";
import { type AwsServers, startAwsServers } from "../fixtures/aws/aws-servers.ts";
import { evaluateInCloud } from "../fixtures/cloud/evaluate-in-cloud.ts";
import { evaluateHere, growHere, setUp } from "../fixtures/run/evaluate-here.ts";

let aws: AwsServers;

beforeAll(async () => {
  await LocalDurableTestRunner.setupTestEnvironment({ skipTime: false });
  aws = await startAwsServers(process.env.DYNAMODB_ENDPOINT);
});
afterAll(async () => {
  await LocalDurableTestRunner.teardownTestEnvironment();
  await aws.stop();
});

const here = async () => {
  const store = memoryStore();
  return {
    store,
    run: async (options: EvaluationOptions) => (await evaluateHere(options, store)).record,
    grow: async (options: EvaluationOptions, id: EvaluationId, request: GrowRequest) =>
      (await growHere(options, store, id, request)).record,
    check: async (options: EvaluationOptions, id: EvaluationId) =>
      (await checkAgain(await setUp(options, store), id)).record,
  };
};

const inCloud = async () => {
  const table = await aws.createTable();
  const store = dynamoStore({ dynamo: aws.dynamo, table, s3: aws.s3, bucket: "bodies" });
  const withDefinition = (options: EvaluationOptions) => evaluateInCloud(options, store);
  return {
    store,
    run: async (options: EvaluationOptions) => (await (await withDefinition(options)).run()).record,
    grow: async (options: EvaluationOptions, id: EvaluationId, request: GrowRequest) =>
      (await (await withDefinition(options)).grow(id, request)).record,
    check: async (options: EvaluationOptions, id: EvaluationId) =>
      (await (await withDefinition(options)).check(id)).record,
  };
};

describe.each([
  ["the local engine", here],
  ["the cloud's engine on DynamoDB", inCloud],
])("%s", (_name, open) => {
  describe("growth", () => growthTests(open));
  describe("checking again", () => recheckTests(open));
});
