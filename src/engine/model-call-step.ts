import type { Json } from "../domain/json.ts";
import type { Model } from "../domain/model.ts";
import type { TranscriptStep } from "../domain/transcript.ts";
import type { ChatRequest } from "../providers/contract.ts";
import type { Gateway } from "../providers/gateway.ts";
import type { HttpCall } from "../providers/http-gateway-run.ts";

type Sent = Awaited<ReturnType<Gateway["call"]>>;
type ModelCallStep = Omit<Extract<TranscriptStep, { kind: "model_call" }>, "atMs">;

/** What the transcript says of one model call, whether it was answered or not. */
export function modelCallStep(model: Model, request: ChatRequest, sent: Sent): ModelCallStep {
  const { latencyMs, retries } = sent;
  const called = { kind: "model_call" as const, ...model, request: request as Json };
  if (sent.kind === "failed") {
    return { ...called, reply: null, error: sent.error.message, usage: null, latencyMs, retries };
  }
  const { reply, firstTokenMs } = sent.answer;
  return {
    ...{ ...called, reply: reply as Json, error: null, usage: reply.usage, latencyMs, retries },
    ...(firstTokenMs === null ? {} : { firstTokenMs }),
  };
}

/** The same for a call of an agent's own SDK, with the request as that wrote it. */
export const httpCallStep = ({ model, failed, firstTokenMs, ...call }: HttpCall): ModelCallStep => ({
  ...{ kind: "model_call", ...model, ...call, error: failed?.error.message ?? null },
  ...(firstTokenMs === null ? {} : { firstTokenMs }),
});
