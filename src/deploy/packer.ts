import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Deployment, type Packer, PackerAnswer } from "../domain/cloud/deployment.ts";
import { EvaluatorError } from "../domain/errors.ts";
import { askProgram } from "../isolation/parent/ask-program.ts";
import { ownFile } from "../local/own-files.ts";

const PACKED = "node_modules/agent-evaluator/dist/web";
const HEAD = "<head>";

/** The built dashboard of the package that a project has installed; null where it has installed none. */
export function installedDashboard(project: string): string | null {
  for (let folder = project; ; folder = dirname(folder)) {
    const place = join(folder, PACKED);
    if (existsSync(join(place, "index.html"))) return place;
    if (folder === dirname(folder)) return null;
  }
}

/** Copies a built dashboard to where it is deployed from, and tells its page which API to call; answers with the place. */
export function placeDashboard(from: string, to: string, apiUrl: string): string {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
  const page = join(to, "index.html");
  const text = readFileSync(page, "utf8");
  if (!text.includes(HEAD)) throw new Error(`${page} has no ${HEAD} to name the API in`);
  const meta = `<meta name="api" content="${new URL(apiUrl).href}" />`;
  writeFileSync(page, text.replace(HEAD, `${HEAD}\n    ${meta}`));
  return to;
}

const OLDEST_NODE = 24;
const MAX_MS = 600_000;

/**
 * Reads and packs the definitions of a project, in processes of their own: the one that deploys compiles
 * each TypeScript file that it loads by rules that are not ours, and holds keys that definitions have no use for.
 */
export function loadPacker(project: string): Packer {
  const ask = async (...args: string[]): Promise<unknown> => {
    refuseOldNode(process.versions.node);
    const program = ownFile("deploy/packer-process", project);
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
