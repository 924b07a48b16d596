import type { CloudSettings } from "./domain/cloud-settings.ts";
import { dynamoClient, s3Client } from "./store/aws-clients.ts";
import type { Store } from "./store/contract.ts";
import { dynamoStore } from "./store/dynamo-store.ts";

/** The store of a deployment, with the role of the function that asks. */
export const deployedStore = ({
  TABLE_NAME,
  BODY_BUCKET,
}: Pick<CloudSettings, "TABLE_NAME" | "BODY_BUCKET">): Store =>
  dynamoStore({ dynamo: dynamoClient(), table: TABLE_NAME, s3: s3Client(), bucket: BODY_BUCKET });
