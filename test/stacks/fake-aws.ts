import { account, region } from "./account.ts";

export type Inputs = Readonly<Record<string, unknown>>;

const arn = (service: string, rest: string, where: string = region) =>
  `arn:aws:${service}:${where}:${account}:${rest}`;

/** What AWS would tell of a new resource and components ask for, by the resource's type. */
const outputs: Readonly<Record<string, (inputs: Inputs, name: string) => Inputs>> = {
  "aws:lambda/function:Function": ({ name, publish }) => {
    const own = arn("lambda", `function:${name}`);
    const version = publish ? "7" : "$LATEST";
    return {
      arn: own,
      version,
      qualifiedArn: `${own}:${version}`,
      invokeArn: `invoke/${own}`,
      qualifiedInvokeArn: `invoke/${own}:${version}`,
      responseStreamingInvokeArn: `stream/${own}`,
      lastModified: "2026-01-01T00:00:00Z",
    };
  },
  "aws:iam/role:Role": (_, name) => ({ arn: arn("iam", `role/${name}`, "") }),
  "aws:dynamodb/table:Table": ({ name }) => ({ arn: arn("dynamodb", `table/${name}`) }),
  "aws:s3/bucket:Bucket": ({ bucket }) => ({
    arn: `arn:aws:s3:::${bucket}`,
    bucketRegionalDomainName: `${bucket}.s3.${region}.amazonaws.com`,
    region,
  }),
  "aws:sqs/queue:Queue": ({ name }) => ({
    arn: arn("sqs", String(name)),
    url: `https://sqs.${region}.amazonaws.com/${account}/${name}`,
  }),
  "aws:sns/topic:Topic": ({ name }) => ({ arn: arn("sns", String(name)) }),
  "aws:apigatewayv2/api:Api": (_, name) => ({
    apiEndpoint: `https://${name}.execute-api.${region}.amazonaws.com`,
    executionArn: arn("execute-api", name),
  }),
  "aws:cloudwatch/logGroup:LogGroup": ({ name }) => ({ arn: arn("logs", `log-group:${name}`) }),
  "aws:cloudfront/distribution:Distribution": (_, name) => ({
    arn: arn("cloudfront", `distribution/${name}`, ""),
    domainName: `${name.toLowerCase()}.cloudfront.net`,
    etag: "E",
  }),
  "aws:cloudfront/keyValueStore:KeyValueStore": (_, name) => ({
    arn: arn("cloudfront", `key-value-store/${name}`, ""),
  }),
  "aws:cloudfront/function:Function": (_, name) => ({
    arn: arn("cloudfront", `function/${name}`, ""),
    etag: "E",
  }),
  "random:index/randomBytes:RandomBytes": () => ({
    base64: Buffer.alloc(32).toString("base64"),
    hex: "00".repeat(32),
  }),
};

export const outputsOf = (type: string, inputs: Inputs, name: string): Inputs =>
  outputs[type]?.(inputs, name) ?? {};

interface Statement {
  readonly effect?: string;
  readonly actions?: readonly string[];
  readonly resources?: readonly string[];
  readonly principals?: readonly { readonly type: string; readonly identifiers: readonly string[] }[];
  readonly conditions?: readonly {
    readonly test: string;
    readonly variable: string;
    readonly values: readonly string[];
  }[];
}

/** What AWS, or the provider itself, would answer to a question. */
const answers: Readonly<Record<string, (inputs: Inputs, concurrencyQuota: number) => Inputs>> = {
  "aws:index/getRegion:getRegion": () => ({ region, name: region, id: region }),
  "aws:index/getPartition:getPartition": () => ({ partition: "aws", dnsSuffix: "amazonaws.com" }),
  "aws:index/getCallerIdentity:getCallerIdentity": () => ({ accountId: account }),
  "aws:servicequotas/getServiceQuota:getServiceQuota": ({ quotaCode }, concurrencyQuota) =>
    quotaCode === "L-B99A9384" ? { value: concurrencyQuota } : {},
  "aws:iam/getPolicyDocument:getPolicyDocument": (inputs) => {
    const statements = (inputs.statements ?? []) as readonly Statement[];
    return {
      ...inputs,
      json: JSON.stringify({ Version: "2012-10-17", Statement: statements.map(asPolicy) }),
    };
  },
};

const asPolicy = ({ effect = "Allow", actions, resources, principals, conditions }: Statement) => ({
  Effect: effect,
  Action: actions,
  Resource: resources,
  ...(principals === undefined
    ? {}
    : { Principal: Object.fromEntries(principals.map(({ type, identifiers }) => [type, identifiers])) }),
  ...(conditions === undefined
    ? {}
    : {
        Condition: Object.fromEntries(
          conditions.map(({ test, variable, values }) => [test, { [variable]: values }]),
        ),
      }),
});

export const answerOf = (token: string, inputs: Inputs, concurrencyQuota: number): Inputs | null =>
  answers[token]?.(inputs, concurrencyQuota) ?? null;
