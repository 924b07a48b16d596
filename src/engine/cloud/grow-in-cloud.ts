import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { grownPlan } from "../../domain/grown-plan.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { countRuns } from "../../domain/plan.ts";
import { countPlanned } from "../../domain/run-number.ts";
import type { GrowRequest } from "../contract.ts";
import { sha256 } from "../digest.ts";
import { grownChoice, grownOptions, nothingNew } from "../grown-options.ts";
import { readDefinition } from "../read-definition.ts";
import { beginInCloud } from "./begin-in-cloud.ts";
import { checkFits } from "./check-fits.ts";
import type { CloudParts } from "./cloud-parts.ts";
import { refuseKeys } from "./refuse-keys.ts";
import { quietenRound, stoppedEvaluation } from "./round-execution.ts";

/** Stores the larger evaluation; its shards take over what ended before, each for its own runs. */
export async function growInCloud(
  parts: CloudParts,
  id: EvaluationId,
  request: GrowRequest,
  givenId: EvaluationId | undefined,
): Promise<EvaluationRecord> {
  const { store, runner } = parts;
  const { record: stored } = await stoppedEvaluation(parts, id);
  const { options, bundle } = await (await parts.definitions()).load(stored.name);
  const asked = grownOptions(options, stored, request);
  const definition = await readDefinition(asked, sha256, grownChoice(request));
  const before = await Array.fromAsync(store.problems(id));
  const plan = { ...definition, ...grownPlan(stored, before, definition) };
  if (countRuns(plan) === countPlanned(stored)) throw nothingNew(id);
  checkFits(plan, runner);
  refuseKeys(request);
  await quietenRound(parts, stored);
  return beginInCloud(parts, {
    ...{ plan, fingerprint: bundle.fingerprint },
    ...(givenId === undefined ? {} : { id: givenId }),
    ...{ grownFrom: id, keepsFailed: request.retryFailed !== true },
  });
}
