import { LocalDurableTestRunner } from "@aws/durable-execution-sdk-js-testing";
import { afterAll, beforeAll, describe, vi } from "vitest";
import { dynamoStore } from "../../src/store/dynamo-store.ts";
import { memoryStore } from "../../src/store/memory-store.ts";
import { growthTests } from "../contract/growth.ts";
import { type AwsServers, startAwsServers } from "../fixtures/aws-servers.ts";
import { evaluateHere, growHere } from "../fixtures/evaluate-here.ts";
import { evaluateInCloud } from "../fixtures/evaluate-in-cloud.ts";

let aws: AwsServers;

beforeAll(async () => {
  await LocalDurableTestRunner.setupTestEnvironment({ skipTime: false });
  aws = await startAwsServers(process.env.DYNAMODB_ENDPOINT);
});
afterAll(async () => {
  await LocalDurableTestRunner.teardownTestEnvironment();
  await aws.stop();
});
vi.setConfig({ testTimeout: 120_000 });

describe("the local engine", () => {
  growthTests(async () => {
    const store = memoryStore();
    return {
      store,
      run: async (options) => (await evaluateHere(options, store)).record,
      grow: async (options, id, request) => (await growHere(options, store, id, request)).record,
    };
  });
});

describe("the cloud's engine on DynamoDB", () => {
  growthTests(async () => {
    const store = dynamoStore({
      dynamo: aws.dynamo,
      table: await aws.createTable(),
      s3: aws.s3,
      bucket: "bodies",
    });
    return {
      store,
      run: async (options) => (await (await evaluateInCloud(options, store)).run()).record,
      grow: async (options, id, request) =>
        (await (await evaluateInCloud(options, store)).grow(id, request)).record,
    };
  });
});
