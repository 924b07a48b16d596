import { TABLE_SHAPE } from "agent-evaluator/cloud";
import { thisStage } from "./stage.ts";

const { isProtected, bodyRetention } = thisStage();
const { hashKey, rangeKey, indexes, ttl } = TABLE_SHAPE;

const keys = [TABLE_SHAPE, ...Object.values(indexes)].flatMap((index) => [index.hashKey, index.rangeKey]);

/** Everything but bodies, in one table. */
export const table = new sst.aws.Dynamo("Table", {
  fields: Object.fromEntries(keys.map((key) => [key, "string" as const])),
  primaryIndex: { hashKey, rangeKey },
  globalIndexes: Object.fromEntries(
    Object.entries(indexes).map(([name, { projection, ...index }]) => [
      name,
      { ...index, projection: [...projection] },
    ]),
  ),
  ttl,
  deletionProtection: isProtected,
  transform: {
    table: (args) => {
      args.pointInTimeRecovery = { enabled: isProtected };
    },
  },
});

/** Transcripts, output and large results. Functions alone read them, so that no browser may. Problems stay: runs need them. */
export const bodies = new sst.aws.Bucket("Bodies", {
  cors: false,
  ...(bodyRetention && { lifecycle: [{ id: "bodies", prefix: "bodies/", expiresIn: bodyRetention }] }),
});

export const storageEnvironment = { TABLE_NAME: table.name, BODY_BUCKET: bodies.name };
