import * as z from "zod";
import { EvaluationId } from "../../domain/ids.ts";
import { StartRequest } from "../../engine/contract.ts";
import { jsonAnswer } from "../answers.ts";
import { claimStart } from "../claim-start.ts";
import { KeyHeaders, readKey } from "../idempotency-key.ts";
import { route } from "../route.ts";

export const StartedEvaluation = z.object({ id: EvaluationId, url: z.string() });

export const startEvaluation = route(
  {
    method: "post",
    path: "/evaluations",
    summary: "Start an evaluation of a definition",
    headers: KeyHeaders,
    body: StartRequest,
    answers: { 202: jsonAnswer("It is stored and about to run", StartedEvaluation) },
  },
  async ({ body, request }, api) => {
    const claimed = await claimStart(api, readKey(request), { name: body.evaluation, request: body });
    const { id } = await api.engine.start(body, claimed === null ? {} : { id: claimed });
    const url = `/evaluations/${id}`;
    return Response.json({ id, url }, { status: 202, headers: { location: url } });
  },
);
