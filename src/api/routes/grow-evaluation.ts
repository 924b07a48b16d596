import * as z from "zod";
import type { EvaluationId } from "../../domain/ids.ts";
import { countDone } from "../../domain/is-done.ts";
import { countPlanned } from "../../domain/run-number.ts";
import { GrowRequest } from "../../engine/contract.ts";
import type { Store } from "../../store/contract.ts";
import { jsonAnswer } from "../answers.ts";
import { claimStart } from "../claim-start.ts";
import { KeyHeaders, readKey } from "../idempotency-key.ts";
import { EvaluationPath, knownEvaluation } from "../known-evaluation.ts";
import { route } from "../route.ts";
import { StartedEvaluation } from "./start-evaluation.ts";

const Count = z.int().nonnegative();

export const GrownEvaluation = StartedEvaluation.extend({
  /** Runs that are taken over from the evaluation before. */
  keptRuns: Count,
  /** Runs that are about to take place. */
  newRuns: Count,
});

export const growEvaluation = route(
  {
    method: "post",
    path: "/evaluations/{id}/grow",
    summary: "Start an evaluation with more models, problems or trials; it takes over what ended in this one",
    params: EvaluationPath,
    headers: KeyHeaders,
    body: GrowRequest,
    answers: { 202: jsonAnswer("It is stored and about to run what is missing", GrownEvaluation) },
  },
  async ({ params, body, request }, api) => {
    const { id: from, name } = await knownEvaluation(api.store, params.id);
    const claimed = await claimStart(api, readKey(request), { name, request: { grow: from, ...body } });
    const grown = await api.engine.grow(from, body, claimed === null ? {} : { id: claimed });
    const url = `/evaluations/${grown.id}`;
    const keptRuns = countDone(await verdictsOf(api.store, from), !grown.keepsFailed);
    const answer = { id: grown.id, url, keptRuns, newRuns: countPlanned(grown) - keptRuns };
    return Response.json(answer, { status: 202, headers: { location: url } });
  },
);

async function verdictsOf(store: Store, id: EvaluationId): Promise<string> {
  let verdicts = "";
  for await (const row of store.verdictRows(id)) verdicts += row.verdicts;
  return verdicts;
}
