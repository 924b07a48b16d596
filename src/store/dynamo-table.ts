import type { CreateTableCommandInput } from "@aws-sdk/client-dynamodb";
import { TABLE_SHAPE } from "../domain/table-shape.ts";

interface Keys {
  readonly hashKey: string;
  readonly rangeKey: string;
}

/** What makes the table where no stack does it: in tests, and in DynamoDB Local. */
export const createTableInput = (name: string): CreateTableCommandInput => ({
  TableName: name,
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [TABLE_SHAPE, ...Object.values(TABLE_SHAPE.indexes)]
    .flatMap(({ hashKey, rangeKey }) => [hashKey, rangeKey])
    .map((key) => ({ AttributeName: key, AttributeType: "S" })),
  KeySchema: keySchema(TABLE_SHAPE),
  GlobalSecondaryIndexes: Object.entries(TABLE_SHAPE.indexes).map(([index, shape]) => ({
    IndexName: index,
    KeySchema: keySchema(shape),
    Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: [...shape.projection] },
  })),
});

const keySchema = ({ hashKey, rangeKey }: Keys): CreateTableCommandInput["KeySchema"] => [
  { AttributeName: hashKey, KeyType: "HASH" },
  { AttributeName: rangeKey, KeyType: "RANGE" },
];
