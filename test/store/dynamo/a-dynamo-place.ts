import { onTestFinished } from "vitest";
import { dynamoClient } from "../../../src/store/dynamo/aws.ts";
import type { DynamoPlace } from "../../../src/store/dynamo/dynamo-store.ts";
import { type AwsServers, LOCAL } from "../../fixtures/aws/aws-servers.ts";

/** A table of its own, and a client that nobody else changes. */
export async function aDynamoPlace(servers: AwsServers): Promise<DynamoPlace> {
  const dynamo = dynamoClient({ ...LOCAL, endpoint: servers.dynamoEndpoint });
  onTestFinished(() => dynamo.destroy());
  return { dynamo, s3: servers.s3, table: await servers.createTable(), bucket: "bodies" };
}
