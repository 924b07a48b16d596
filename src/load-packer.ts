import { Deployment, type Packer, PackerAnswer } from "./domain/deployment.ts";
import { EvaluatorError } from "./domain/evaluator-error.ts";
import { askProgram } from "./isolation/ask-program.ts";
import { ownFile } from "./own-files.ts";

const OLDEST_NODE = 24;
const MAX_MS = 600_000;

/**
 * What reads and packs the definitions of a project, in processes of their own: the one that deploys compiles
 * each TypeScript file that it loads by rules that are not ours, and holds keys that definitions have no use for.
 */
export function loadPacker(project: string): Packer {
  const ask = async (...args: string[]): Promise<unknown> => {
    refuseOldNode(process.versions.node);
    const program = ownFile("packer-process", project);
    const said = await askProgram({ program, args, cwd: project, variables: process.env, maxMs: MAX_MS });
    const answer = PackerAnswer.parse(said);
    if (answer.kind === "refused") throw new EvaluatorError(answer.code, answer.message);
    return answer.value;
  };
  return {
    describeDeployment: async (file) => Deployment.parse(await ask("describe", file)),
    packDefinitions: async (file, folder, place) =>
      void (await ask("pack", file, folder, ...(place === undefined ? [] : [place]))),
  };
}

/** Pulumi starts the first `node` of PATH, whichever that is. */
function refuseOldNode(version: string): void {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return;
  throw new EvaluatorError(
    "deployment.old_node",
    `Deploying needs Node ${OLDEST_NODE} or newer in PATH; ${process.execPath} is Node ${version}. Run \`npm install --save-dev node@${OLDEST_NODE}\` in the project, and deploy with \`npx sst deploy\`, which finds it there.`,
  );
}
