import { API_TOKEN_SECRET, secretName } from "../../domain/cloud-settings.ts";
import { plural } from "../../domain/show/format-count.ts";
import type { Line } from "../text/line.ts";
import type { WrittenFiles } from "./write-cloud.ts";

/** The version that the stacks are made for. */
export const SST_VERSION = "4.17.1";

const GUIDE = "node_modules/agent-evaluator/stacks/DEPLOY.md";

/** What was written, what was not, and how to go on. */
export function cloudLines({ written, left }: WrittenFiles, isInstalled: boolean): Line[] {
  return [
    [["✓ ", "green"], [summaryOf(written)]],
    ...left.map((path): Line => [["  "], [`${path} exists already and is left as it is.`, "yellow"]]),
    [["  Deploy it, with the credentials of your AWS account in the environment:"]],
    ...stepsOf(isInstalled).map((step): Line => [["    "], [step, "cyan"]]),
    [["  What is deployed, and what it costs: "], [GUIDE, "cyan"]],
  ];
}

function summaryOf(written: readonly string[]): string {
  if (written.length === 0) return "nothing was missing.";
  const places = new Set(written.map((path) => (path.startsWith("evals/") ? path : path.split("/")[0])));
  return `${plural(written.length, "file")} written: ${[...places].join(", ")}`;
}

const stepsOf = (isInstalled: boolean): string[] => [
  `npm install -D ${isInstalled ? "" : "agent-evaluator "}sst@${SST_VERSION}`,
  `npx sst secret set ${API_TOKEN_SECRET} <a token that you make up> --stage demo`,
  `npx sst secret set ${secretName("OPENAI_API_KEY")} <key> --stage demo`,
  "npx sst deploy --stage demo",
];
