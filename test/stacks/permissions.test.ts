import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { BEDROCK, type Grant, PERMISSIONS, type Thing } from "../../stacks/permissions.ts";
import { isAbout } from "../fixtures/aws/grant-allows.ts";
import { allOf, lambda, only, type Statement, statementsOf } from "./find-resources.ts";
import { type Synthesised, synthesise } from "./synth.ts";

const evals = join(import.meta.dirname, "../fixtures/stacks/evals");

/** Functions by the name of their row; a workflow's function is called its handler. */
const functions = {
  Api: "Api",
  Schedule: "Schedule",
  Orchestrator: "OrchestratorHandler",
  Shard: "ShardHandler",
  Runner: "Runner",
  Aggregator: "Aggregator",
} as const;

let production: Synthesised;

beforeAll(async () => {
  production = await synthesise({ stage: "production", evals });
}, 600_000);

describe("each function's role", () => {
  test.each(Object.entries(functions))("%s may do what its row says, and nothing else", (row, name) => {
    const grants: Grant[] = [...PERMISSIONS[row as keyof typeof functions]];
    if (row === "Runner") grants.push(BEDROCK);
    expect(statementsOf(production, name)).toEqual(grants.map(expectedStatement));
  });

  test.each(Object.values(functions))("%s is for Lambda alone", (name) => {
    const { assumeRolePolicy } = only(production, "aws:iam/role:Role", `${name}Role`);
    expect(assumeRolePolicy.Statement).toEqual([
      expect.objectContaining({ Action: "sts:AssumeRole", Principal: { Service: "lambda.amazonaws.com" } }),
    ]);
  });

  test("may write logs, and if it is durable keep its state", () => {
    const managed = Object.values(functions).map((name) => [
      name,
      only(production, "aws:iam/role:Role", `${name}Role`).managedPolicyArns.map((arn: string) =>
        arn.split("/").at(-1),
      ),
    ]);
    const logs = "AWSLambdaBasicExecutionRole";
    const durable = [logs, "AWSLambdaBasicDurableExecutionRolePolicy"];
    expect(Object.fromEntries(managed)).toEqual({
      Api: [logs],
      Schedule: [logs],
      OrchestratorHandler: durable,
      ShardHandler: durable,
      Runner: [logs],
      Aggregator: [logs],
    });
  });

  test("of every function is in the table", () => {
    const made = allOf(production, "aws:lambda/function:Function").map(({ name }) => name);
    expect(made.toSorted()).toEqual(
      Object.values(functions)
        .map((name) => `${name}Function`)
        .toSorted(),
    );
  });
});

test("no statement is about every action, nor deletes or scans anything", () => {
  const actions = Object.values(functions).flatMap((name) =>
    statementsOf(production, name).flatMap(({ Action }) => Action),
  );
  expect(actions.length).toBeGreaterThan(20);
  expect(actions.filter((action) => /\*|Delete|Scan|BatchWrite/.test(action))).toEqual([]);
});

test("nobody but a runner, or a shard that takes runs over, may write entries", () => {
  const entries = "evaluation#doubles-1#runs#0";
  const writers = Object.entries(PERMISSIONS).filter(([, grants]) =>
    grants.some((grant: Grant) => grant.actions.includes("dynamodb:PutItem") && isAbout(grant, entries)),
  );
  expect(writers.map(([name]) => name)).toEqual(["Shard", "Runner"]);
});

test("every statement about the table or its indexes names its keys", () => {
  const grants: readonly Grant[] = Object.values(PERMISSIONS).flat();
  const unbound = grants.filter(({ on, keys }) => (on === "table" || on === "indexes") && keys === undefined);
  expect(unbound).toEqual([]);
});

test("only models, which have no owner, and the account itself are named by a pattern without an account", () => {
  const broad = Object.values(functions).flatMap((name) =>
    statementsOf(production, name).filter(({ Resource }) => Resource.some((arn) => /^\*|:\*:/.test(arn))),
  );
  const settings = ["lambda:GetAccountSettings"];
  expect(broad.map(({ Action }) => Action)).toEqual([settings, settings, BEDROCK.actions]);
});

function expectedStatement({ actions, on, keys, except }: Grant): Statement {
  return {
    Effect: "Allow",
    Action: actions,
    Resource: arnsOf(on),
    ...(keys && {
      Condition: {
        "ForAllValues:StringLike": { "dynamodb:LeadingKeys": keys },
        ...(except && { "ForAllValues:StringNotLike": { "dynamodb:LeadingKeys": except } }),
      },
    }),
  };
}

function arnsOf(on: Thing): string[] {
  const place = "eu-central-1:123456789012";
  const tableName = only(production, "aws:dynamodb/table:Table").name;
  const everyVersion = (name: string) => {
    const arn = `arn:aws:lambda:${place}:function:${lambda(production, name).name}`;
    return [arn, `${arn}:*`];
  };
  const bucket = only(production, "aws:s3/bucket:Bucket", "BodiesBucket").bucket;
  switch (on) {
    case "table":
      return [`arn:aws:dynamodb:${place}:table/${tableName}`];
    case "indexes":
      return [`arn:aws:dynamodb:${place}:table/${tableName}/index/*`];
    case "bodies":
    case "problems":
      return [`arn:aws:s3:::${bucket}/${on}/*`];
    case "failures":
      return [`arn:aws:sqs:${place}:${only(production, "aws:sqs/queue:Queue").name}`];
    case "drift":
      return [`arn:aws:sns:${place}:${only(production, "aws:sns/topic:Topic", "DriftTopic").name}`];
    case "models":
      return ["arn:aws:bedrock:*::foundation-model/*", "arn:aws:bedrock:*:*:inference-profile/*"];
    case "account":
      return ["*"];
    case "orchestrator":
      return everyVersion(functions.Orchestrator);
    case "shard":
      return everyVersion(functions.Shard);
    case "runner":
      return everyVersion(functions.Runner);
    case "aggregator":
      return everyVersion(functions.Aggregator);
  }
}
