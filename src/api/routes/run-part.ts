import * as z from "zod";
import { EvaluatorError } from "../../domain/evaluator-error.ts";
import { Json } from "../../domain/json.ts";
import { CapturedOutput, type RunBody } from "../../domain/run-body.ts";
import { TranscriptStep } from "../../domain/transcript.ts";
import { knownRun, RunPath } from "../known-run.ts";
import { rangedAnswer } from "../ranged-answer.ts";
import { route } from "../route.ts";

const Part = z.enum(["transcript", "stdout", "stderr", "result"]);
type Part = z.infer<typeof Part>;

const PartPath = RunPath.extend({ part: Part });

/** JSON is the transcript's steps, the result itself, or what was kept of an output. */
export const RunPart = z.union([z.array(TranscriptStep), CapturedOutput, Json.nullable()]);

export const showRunPart = route(
  {
    method: "get",
    path: "/evaluations/{id}/logs/{runId}/{part}",
    summary: "What is too large for a log entry; output is text unless JSON is asked for",
    params: PartPath,
    query: z.strictObject({ round: z.coerce.number().int().positive().optional() }),
    answers: {
      200: { description: "The part", content: { "application/json": RunPart, "text/plain": null } },
      206: { description: "As much of it as was asked for", content: { "text/plain": null } },
    },
  },
  async ({ params, query, request }, { store, maxAnswerBytes }) => {
    const { entry } = await knownRun(store, params, query.round);
    const body = await store.readBody(params.id, entry.runId, entry.round);
    if (body === null) {
      throw new EvaluatorError("body.missing", `run ${params.runId} has no ${params.part}: it never started`);
    }
    const wantsJson = /\bapplication\/json\b/.test(request.headers.get("accept") ?? "");
    const { text, type } = partOf(body, params.part, wantsJson);
    return rangedAnswer(request, text, type, maxAnswerBytes);
  },
);

function partOf(body: RunBody, part: Part, wantsJson: boolean): { text: string; type: string } {
  const output = part === "stdout" || part === "stderr";
  if (output && !wantsJson) return { text: printed(body[part]), type: "text/plain; charset=utf-8" };
  return { text: JSON.stringify(body[part]), type: "application/json" };
}

const printed = ({ head, tail, droppedBytes }: CapturedOutput): string =>
  droppedBytes === 0 ? `${head}${tail}` : `${head}\n… ${droppedBytes} bytes not kept …\n${tail}`;
