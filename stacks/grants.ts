import { driftTopic, failureQueue } from "./notices.ts";
import type { Grant, Thing } from "./permissions.ts";
import { bodies, table } from "./storage.ts";

type Arn = $util.Output<string> | string;

const everything = {
  table: [table.arn],
  indexes: [$interpolate`${table.arn}/index/*`],
  bodies: [$interpolate`${bodies.arn}/bodies/*`],
  problems: [$interpolate`${bodies.arn}/problems/*`],
  failures: [failureQueue.arn],
  drift: [driftTopic.arn],
  // Which models an account may call, and from which regions, is decided where access to them is given.
  models: ["arn:aws:bedrock:*::foundation-model/*", "arn:aws:bedrock:*:*:inference-profile/*"],
  account: ["*"],
} satisfies Partial<Record<Thing, Arn[]>>;

/** Turns rows of the table of permissions into IAM statements; functions are given by whoever made them. */
export const grant = (rows: readonly Grant[], functions: Partial<Record<Thing, sst.aws.Function>> = {}) =>
  rows.map(({ actions, on, keys, except }) => ({
    actions: [...actions],
    resources: arnsOf(on, functions),
    ...(keys && { conditions: [areKeys("Like", keys), ...(except ? [areKeys("NotLike", except)] : [])] }),
  }));

const areKeys = (how: "Like" | "NotLike", keys: readonly string[]) => ({
  test: `ForAllValues:String${how}`,
  variable: "dynamodb:LeadingKeys",
  values: [...keys],
});

function arnsOf(on: Thing, functions: Partial<Record<Thing, sst.aws.Function>>): Arn[] {
  const target = functions[on];
  // Every version: an execution goes on with the one that it started with, whatever is deployed meanwhile.
  if (target !== undefined) return [target.arn, $interpolate`${target.arn}:*`];
  if (on in everything) return everything[on as keyof typeof everything];
  throw new Error(`nobody said which function the permission on "${on}" is about`);
}
