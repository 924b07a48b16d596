import { afterAll, beforeAll } from "vitest";
import { dynamoStore } from "../../../src/store/dynamo/dynamo-store.ts";
import { type LastingStore, lastingStoreContract } from "../../contract/store/lasting-store.ts";
import { storeContract } from "../../contract/store/store.ts";
import { type AwsServers, startAwsServers } from "../../fixtures/aws/aws-servers.ts";

const endpoints = [
  { name: "dynalite", endpoint: undefined },
  // DynamoDB Local, or a table of AWS, for those who have one.
  { name: "DYNAMODB_ENDPOINT", endpoint: process.env.DYNAMODB_ENDPOINT },
].filter(({ name, endpoint }) => name === "dynalite" || endpoint !== undefined);

if (process.env.DYNAMODB_ENDPOINT === undefined)
  console.info("DYNAMODB_ENDPOINT is not set: the store was tried on dynalite, not on a DynamoDB of AWS");

for (const { name, endpoint } of endpoints) {
  let servers: AwsServers;
  beforeAll(async () => {
    servers = await startAwsServers(endpoint);
  });
  afterAll(() => servers.stop());

  const open = async (): Promise<LastingStore> => {
    const { dynamo, s3 } = servers;
    const place = { dynamo, s3, table: await servers.createTable(), bucket: "bodies" };
    const store = dynamoStore(place);
    return { store, reopen: async () => dynamoStore(place), end: () => store.close() };
  };
  storeContract(`dynamo on ${name}`, open);
  lastingStoreContract(`dynamo on ${name}`, open);
}
