import {
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ProblemId } from "../../../src/domain/ids.ts";
import { dynamoClient } from "../../../src/store/dynamo/aws.ts";
import { dynamoStore } from "../../../src/store/dynamo/dynamo-store.ts";
import { collect } from "../../contract/store/collect.ts";
import { type AwsServers, LOCAL, startAwsServers } from "../../fixtures/aws/aws-servers.ts";
import { startThrottledServer } from "../../fixtures/aws/throttled-server.ts";
import { aBody, aLogEntry, anEvaluation, aProblem, aRunId } from "../../fixtures/records/a-log-entry.ts";
import { printed } from "../../fixtures/records/captured-output.ts";
import { aDynamoPlace } from "./a-dynamo-place.ts";

const { id } = anEvaluation();
const spoken = aBody({ stdout: printed("hello") });

let servers: AwsServers;
beforeAll(async () => {
  servers = await startAwsServers();
});
afterAll(() => servers.stop());

describe("what AWS refuses is an error that says what to do", () => {
  test.each([
    ["ThrottlingException", 400, "store.busy", true],
    ["ProvisionedThroughputExceededException", 400, "store.busy", true],
    ["InternalServerError", 500, "store.busy", true],
    ["AccessDeniedException", 400, "store.denied", false],
    ["ExpiredTokenException", 400, "store.denied", false],
    ["CredentialsProviderError", undefined, "store.denied", false],
    ["ResourceNotFoundException", 400, "store.unusable", false],
    ["TimeoutError", undefined, "store.unreachable", true],
  ])("%s", async (name, httpStatusCode, code, retryable) => {
    const dynamo = new DynamoDBClient(LOCAL);
    mockClient(dynamo).rejects(awsFailure(name, httpStatusCode));
    const store = dynamoStore({ dynamo, s3: servers.s3, table: "evaluations", bucket: "bodies" });
    const failing = [
      store.findEvaluation(id),
      store.updateEvaluation(anEvaluation()),
      store.isCancelRequested(id, 1),
      collect(store.shardStats(id)),
    ];
    for (const failed of failing) {
      await expect(failed).rejects.toMatchObject({ code, retryable });
      await expect(failed).rejects.toThrow(/^The table evaluations .*\. [A-Z].*\.$/);
    }
  });

  test("a connection that is refused", async () => {
    const nowhere = { ...LOCAL, endpoint: "http://127.0.0.1:1", maxAttempts: 1 };
    const store = dynamoStore({ ...(await aDynamoPlace(servers)), dynamo: dynamoClient(nowhere) });
    await expect(store.findEvaluation(id)).rejects.toMatchObject({ code: "store.unreachable" });
  });
});

describe("nothing is lost", () => {
  test("a body that cannot be written leaves no entry, and the next try saves both", async () => {
    const place = await aDynamoPlace(servers);
    const s3 = new S3Client(LOCAL);
    mockClient(s3).on(PutObjectCommand).rejects(awsFailure("SlowDown", 503));
    await dynamoStore(place).createEvaluation(anEvaluation(), [aProblem()]);
    const failing = dynamoStore({ ...place, s3 });
    await expect(failing.saveEntry(aLogEntry(), spoken)).rejects.toMatchObject({
      code: "store.busy",
      message: expect.stringContaining("s3://bodies/bodies/capitals-1/"),
    });
    const store = dynamoStore(place);
    expect(await collect(store.entries(id))).toEqual([]);
    expect(await store.saveEntry(aLogEntry(), spoken)).toBe("saved");
    expect(await store.readBody(id, aRunId(0), 1)).toEqual(spoken);
  });

  test("an entry that cannot be written after its body is an error, and the next try saves it", async () => {
    const place = await aDynamoPlace(servers);
    await dynamoStore(place).createEvaluation(anEvaluation(), [aProblem()]);
    const dynamo = throttling(place.dynamo, PutItemCommand);
    await expect(dynamoStore({ ...place, dynamo }).saveEntry(aLogEntry(), spoken)).rejects.toMatchObject({
      code: "store.busy",
      retryable: true,
    });
    const store = dynamoStore(place);
    expect(await collect(store.entries(id))).toEqual([]);
    expect(await store.progress(id)).toMatchObject({ finished: 0 });
    expect(await store.saveEntry(aLogEntry(), spoken)).toBe("saved");
  });

  test("progress that cannot be counted does not unsave an entry", async () => {
    const place = await aDynamoPlace(servers);
    await dynamoStore(place).createEvaluation(anEvaluation(), [aProblem()]);
    const dynamo = throttling(place.dynamo, UpdateItemCommand);
    expect(await dynamoStore({ ...place, dynamo }).saveEntry(aLogEntry(), spoken)).toBe("saved");
    expect(await collect(dynamoStore(place).entries(id))).toEqual([aLogEntry()]);
  });

  test("problems that cannot be written leave no evaluation", async () => {
    const place = await aDynamoPlace(servers);
    const dynamo = throttling(place.dynamo, PutItemCommand);
    const failing = dynamoStore({ ...place, dynamo }).createEvaluation(anEvaluation(), [aProblem()]);
    await expect(failing).rejects.toMatchObject({ code: "store.busy" });
    const store = dynamoStore(place);
    expect(await store.findEvaluation(id)).toBeNull();
    expect(await store.createEvaluation(anEvaluation(), [aProblem()])).toBe("saved");
  });

  test("of two that create one evaluation at once the winner's problems are there", async () => {
    const store = dynamoStore(await aDynamoPlace(servers));
    const names = ["ann", "bob", "cid", "dan"];
    const problemsOf = (name: string) =>
      Array.from({ length: 40 }, (_, number) => aProblem({ id: ProblemId.parse(`${name}-${number}`) }));
    const answers = await Promise.all(
      names.map((name) => store.createEvaluation(anEvaluation({ name, problemCount: 40 }), problemsOf(name))),
    );
    expect(answers.filter((answer) => answer === "saved")).toHaveLength(1);
    const winner = (await store.findEvaluation(id))?.name ?? "";
    expect(winner).toBe(names[answers.indexOf("saved")]);
    expect(await collect(store.problems(id))).toEqual(problemsOf(winner));
  });

  test("a table that refuses 20 of 100 requests is only slower", async () => {
    const throttled = await startThrottledServer(servers.dynamoEndpoint, 20);
    const dynamo = dynamoClient({ ...LOCAL, endpoint: throttled.endpoint, retryMode: "standard" });
    onTestFinished(async () => {
      dynamo.destroy();
      await throttled.stop();
    });
    const store = dynamoStore({ ...(await aDynamoPlace(servers)), dynamo });
    await store.createEvaluation(anEvaluation(), [aProblem()]);
    const indexes = [...Array(20).keys()];
    const answers = await Promise.all(indexes.map((index) => store.saveEntry(aLogEntry({ index }), spoken)));
    expect(new Set(answers)).toEqual(new Set(["saved"]));
    expect((await collect(store.entries(id))).map(({ index }) => index)).toEqual(indexes);
    expect(await store.progress(id)).toMatchObject({ finished: 20 });
    expect(throttled.counts.refused).toBeGreaterThan(5);
  });

  test("what a busy table leaves out of a batch is read all the same", async () => {
    const place = await aDynamoPlace(servers);
    for (const run of [0, 1, 2, 15]) {
      await dynamoStore(place).addSpend(id, { nanoUsd: 10, tokens: 1 }, run);
    }
    const dynamo = new DynamoDBClient(LOCAL);
    mockClient(dynamo)
      .on(GetItemCommand)
      .callsFake((input) => place.dynamo.send(new GetItemCommand(input)))
      .on(BatchGetItemCommand)
      .callsFake(async ({ RequestItems }) => {
        const Keys = RequestItems[place.table].Keys;
        const RequestedFirst = { [place.table]: { Keys: Keys.slice(0, 2) } };
        const answer = await place.dynamo.send(new BatchGetItemCommand({ RequestItems: RequestedFirst }));
        return { ...answer, UnprocessedKeys: { [place.table]: { Keys: Keys.slice(2) } } };
      });
    expect(await dynamoStore({ ...place, dynamo }).spent(id)).toEqual({ nanoUsd: 40, tokens: 4 });
  });

  test.each([
    ["to a role that may list the bucket", "NoSuchKey"],
    ["to any other", "AccessDenied"],
  ])("a body whose object is gone is an error that says so: %s", async (_, name) => {
    const place = await aDynamoPlace(servers);
    const store = dynamoStore(place);
    await store.createEvaluation(anEvaluation(), [aProblem()]);
    await store.saveEntry(aLogEntry(), spoken);
    const s3 = new S3Client(LOCAL);
    mockClient(s3).on(GetObjectCommand).rejects(awsFailure(name));
    const read = dynamoStore({ ...place, s3 }).readBody(id, aRunId(0), 1);
    await expect(read).rejects.toMatchObject({
      code: "store.body_lost",
      message: expect.stringMatching(/ is gone, or this role may not read it/),
    });
  });

  test("a body whose object is gone is an error that names it", async () => {
    const place = await aDynamoPlace(servers);
    const store = dynamoStore(place);
    await store.createEvaluation(anEvaluation(), [aProblem()]);
    await store.saveEntry(aLogEntry(), spoken);
    const elsewhere = dynamoStore({ ...place, bucket: "another" });
    await expect(elsewhere.readBody(id, aRunId(0), 1)).rejects.toMatchObject({
      code: "store.body_lost",
      message: expect.stringContaining("s3://another/bodies/capitals-1/"),
    });
    expect(await collect(elsewhere.entries(id))).toEqual([aLogEntry()]);
  });
});

test("an entry of a problem nobody created is refused", async () => {
  const store = dynamoStore(await aDynamoPlace(servers));
  const refused = { code: "store.unknown_problem" };
  await expect(store.saveEntry(aLogEntry(), aBody())).rejects.toMatchObject(refused);
  await store.createEvaluation(anEvaluation(), [aProblem({ id: ProblemId.parse("peru") })]);
  await expect(store.saveEntry(aLogEntry(), aBody())).rejects.toMatchObject(refused);
  await expect(store.saveEntry(aLogEntry({ index: 1_000 }), aBody())).rejects.toMatchObject(refused);
});

/** Passes everything on but one command, which AWS refuses however often it is sent. */
function throttling(
  real: DynamoDBClient,
  command: typeof PutItemCommand | typeof UpdateItemCommand,
): DynamoDBClient {
  const dynamo = new DynamoDBClient(LOCAL);
  mockClient(dynamo)
    .on(GetItemCommand)
    .callsFake((input) => real.send(new GetItemCommand(input)))
    .on(PutItemCommand)
    .callsFake((input) => real.send(new PutItemCommand(input)))
    .on(UpdateItemCommand)
    .callsFake((input) => real.send(new UpdateItemCommand(input)))
    .on(command as typeof PutItemCommand)
    .rejects(awsFailure("ThrottlingException", 400));
  return dynamo;
}

function awsFailure(name: string, httpStatusCode?: number): Error {
  const failure = new Error(`AWS says ${name}`);
  return Object.assign(failure, { name, ...(httpStatusCode && { $metadata: { httpStatusCode } }) });
}
