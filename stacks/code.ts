import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { DefinitionReader } from "../src/domain/deployment.ts";
import { thisStage } from "./stage.ts";

const root = $cli.paths.root;
const definitionsFile = join(root, "evals/index.ts");

/** Named by its path, as handlers are: what reads definitions runs as it is, and is not bundled. */
const reader = (await import(
  pathToFileURL(join(root, "src/describe-deployment.ts")).href
)) as DefinitionReader;

/** The evaluations to deploy. */
export const deployment = await reader.describeDeployment(definitionsFile);

/** What all functions have in common. */
export const functionDefaults = {
  runtime: "nodejs24.x",
  architecture: "arm64",
  logging: { format: "json", retention: thisStage().logRetention },
  nodejs: { esbuild: { conditions: ["agent-evaluator-source"] }, minify: true },
} satisfies Partial<sst.aws.FunctionArgs>;

/** SST also lets the account's own users assume a role, which only live functions need. */
export const trustLambdaAlone = (args: aws.iam.RoleArgs): undefined => {
  if ($dev) return;
  args.assumeRolePolicy = aws.iam.assumeRolePolicyForPrincipal({ Service: "lambda.amazonaws.com" });
};

/** For functions that load definitions: with the files beside them. */
export const withDefinitions = {
  ...functionDefaults,
  copyFiles: [{ from: "evals" }],
};

export const definitionsEnvironment = { DEFINITIONS: $dev ? definitionsFile : "definitions" };
