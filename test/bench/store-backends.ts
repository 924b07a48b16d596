import { dynamoClient, s3Client } from "../../src/store/dynamo/aws.ts";
import { dynamoStore } from "../../src/store/dynamo/dynamo-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { LOCAL } from "../fixtures/aws/aws-servers.ts";

const sent: Record<string, number> = {};

/** How many requests of each kind were sent so far. */
export const requests = (): Record<string, number> => ({ ...sent });

export async function openStore(backend: string, place: readonly string[]): Promise<Store> {
  if (backend === "sqlite") return openSqliteStore(place[0] ?? "");
  const [table = "", dynamoEndpoint = "", s3Endpoint = ""] = place;
  const dynamo = dynamoClient({ ...LOCAL, endpoint: dynamoEndpoint });
  dynamo.middlewareStack.add((next, context) => (args) => {
    const command = String(context.commandName).replace(/Command$/, "");
    sent[command] = (sent[command] ?? 0) + 1;
    return next(args);
  });
  const s3 = s3Client({ ...LOCAL, endpoint: s3Endpoint, forcePathStyle: true });
  return dynamoStore({ dynamo, s3, table, bucket: "bodies" });
}
