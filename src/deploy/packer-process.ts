import { writeFileSync } from "node:fs";
import type { PackerAnswer } from "../domain/cloud/deployment.ts";
import { EvaluatorError } from "../domain/errors.ts";
import { ANSWER_FD } from "../isolation/parent/ask-program.ts";
import { describeDeployment } from "./describe-deployment.ts";
import { packDefinitions } from "./pack-definitions.ts";

// `loadPacker` starts it, and waits for its answer.
const [task, file = "", folder = "", place] = process.argv.slice(2);
const asked = task === "describe" ? describeDeployment(file) : packDefinitions(file, folder, place);
const answer = await asked.then((value): PackerAnswer => ({ kind: "done", value })).catch(refusal);
writeFileSync(ANSWER_FD, JSON.stringify(answer));
// What a definition started while it was loaded is of no use any more.
process.exit();

/** What was foreseen is said as it is; of anything else the stack says where it happened. */
function refusal(error: unknown): PackerAnswer {
  if (error instanceof EvaluatorError) return { kind: "refused", code: error.code, message: error.message };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: "refused", code: "packer.failed", message };
}
