import { join } from "node:path";
import { loadPacker, METRICS_SERVICE } from "agent-evaluator/cloud";
import { thisStage } from "./stage.ts";

const root = $cli.paths.root;
const definitionsFile = join(root, "evals/index.ts");

const packer = loadPacker(root);

/** The evaluations to deploy. */
export const deployment = await packer.describeDeployment(definitionsFile).catch(plainly);

/** Of any other error Pulumi shows where in its program it was thrown, which says nothing of the definitions. */
function plainly({ message }: Error): never {
  throw new $util.RunError(message);
}

/** Settings that all functions have in common. */
export const functionDefaults = {
  runtime: "nodejs24.x",
  architecture: "arm64",
  logging: { format: "json", retention: thisStage().logRetention },
  // What builds bundles is needed in `sst dev` alone, where it is installed.
  nodejs: { esbuild: { external: ["esbuild"] }, minify: true },
} satisfies Partial<sst.aws.FunctionArgs>;

/** SST also lets the account's own users assume a role, which only live functions need. */
export const trustLambdaAlone = (args: aws.iam.RoleArgs): undefined => {
  if ($dev) return;
  args.assumeRolePolicy = aws.iam.assumeRolePolicyForPrincipal({ Service: "lambda.amazonaws.com" });
};

/** Settings of functions that load definitions: packed beside their code, or straight from the laptop in `sst dev`. */
export const withDefinitions = {
  ...functionDefaults,
  nodejs: { ...functionDefaults.nodejs, install: deployment.packages },
  hook: { postbuild: (folder: string) => packer.packDefinitions(definitionsFile, folder).catch(plainly) },
};

/** Stages of one account keep their metrics apart. */
export const metricsNamespace = `AgentEvaluator/${$app.name}/${$app.stage}`;

export const metricsEnvironment = {
  METRICS_NAMESPACE: metricsNamespace,
  POWERTOOLS_SERVICE_NAME: METRICS_SERVICE,
};

export const definitionsEnvironment = { DEFINITIONS: $dev ? definitionsFile : "definitions" };
