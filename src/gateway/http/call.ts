import type { ServerResponse } from "node:http";
import * as z from "zod";
import { Json } from "../../domain/json.ts";
import type { CallUsage } from "../../domain/run/usage.ts";
import type { Sent } from "../gateway.ts";
import { sendError } from "./answers.ts";
import { Exchange, type IncomingCall } from "./exchange.ts";
import { PROTOCOLS } from "./protocols.ts";
import { type ModelRequest, type Protocol, readCall } from "./request.ts";
import type { FailedHttpCall, GatewayRun } from "./run.ts";
import { upstreamKey } from "./upstream.ts";

/** One call of an agent's SDK: held to the run's limits, sent on, reported to the run, and only then answered to its end. */
export async function answerCall(call: IncomingCall): Promise<void> {
  const { incoming, outgoing, url, run } = call;
  const signal = AbortSignal.any([run.patience.signal, call.ended, droppedSignal(outgoing)]);
  const asked = await readCall(incoming, url, signal);
  if (asked.kind === "refused") return sendError(outgoing, asked.status, asked.message);
  const refused = asked.route.protocol === null ? null : run.admitCall();
  // No SDK tries again what is forbidden.
  if (refused !== null) return sendError(outgoing, 403, refused);
  const providerKey = upstreamKey(asked.route.family, run.providerKey);
  const exchange = new Exchange(call, asked, providerKey, signal);
  const patience = { ...run.patience, signal };
  const sent = await call.gateway.send(providerKey, patience, () => exchange.attempt());
  await report(run, asked, providerKey, exchange, sent, signal);
  await deliver(run, outgoing, exchange, sent, signal);
}

/** Aborted when the agent hangs up; that it also is after the last byte does no harm. */
function droppedSignal(outgoing: ServerResponse): AbortSignal {
  const dropped = new AbortController();
  outgoing.once("close", () => dropped.abort(new Error("the agent dropped the call")));
  return dropped.signal;
}

async function report(
  run: GatewayRun,
  { route, request }: ModelRequest,
  providerKey: string,
  exchange: Exchange,
  sent: Sent<void>,
  signal: AbortSignal,
): Promise<void> {
  if (route.protocol === null || request === null) return;
  const { said, firstTokenMs } = exchange;
  const read = said === null ? { reply: null, usage: null } : await readReply(route.protocol, said);
  const model = route.model ?? NamedModel.safeParse(request).data?.model ?? "unknown";
  const { latencyMs, retries } = sent;
  const failed = sent.kind === "failed" ? failedCall(sent.error, exchange, signal) : null;
  await run.takeCall({
    model: { providerKey, model },
    request,
    ...read,
    firstTokenMs,
    latencyMs,
    retries,
    failed,
  });
}

const NamedModel = z.object({ model: z.string() });

/** Whoever ended the call, a provider did not fail it. */
const failedCall = (
  error: FailedHttpCall["error"],
  exchange: Exchange,
  signal: AbortSignal,
): FailedHttpCall => ({
  error,
  fault: signal.aborted ? "agent" : (exchange.refusal?.fault ?? "provider"),
});

async function deliver(
  run: GatewayRun,
  outgoing: ServerResponse,
  exchange: Exchange,
  sent: Sent<void>,
  signal: AbortSignal,
): Promise<void> {
  if (sent.kind === "answered" || exchange.hasEnd) return exchange.finish();
  const { refusal } = exchange;
  if (refusal === null) return sendError(outgoing, signal.aborted ? 403 : 502, run.hide(sent.error.message));
  outgoing.writeHead(refusal.status, refusal.headers).end(refusal.text);
}

interface ReadReply {
  readonly reply: Json | null;
  readonly usage: CallUsage | null;
}

/** What a reply said and used, whether it came whole or in pieces, or broke off; a reply of an unknown kind is kept as it came. */
async function readReply(protocol: Protocol, said: unknown): Promise<ReadReply> {
  const wire = PROTOCOLS[protocol];
  try {
    const reply = Array.isArray(said) ? await wire.readPieces(said) : wire.readWhole(said);
    return { reply: reply as Json, usage: reply.usage };
  } catch {
    const pieces = Array.isArray(said) ? said : [said];
    return { reply: Json.safeParse(said).data ?? null, usage: wire.readUsage(pieces) };
  }
}
