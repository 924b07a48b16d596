import type { DriftAlarm } from "../domain/drift.ts";
import type { SendAlarm } from "./tell-drift.ts";

const LONGEST_POST_MS = 10_000;

type Variables = Readonly<Record<string, string | undefined>>;

/** Posts to the address in a variable; no warning ever holds the address. */
export const webhookSender =
  (variable: string, variables: Variables): SendAlarm =>
  (alarm) =>
    post(alarm, variable, variables);

async function post(alarm: DriftAlarm, variable: string, variables: Variables): Promise<string | null> {
  const address = variables[variable]?.trim();
  if (!address)
    return `drift.webhook: ${variable} is not set, so nobody was told; set it, or remove the webhook`;
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
    return `drift.webhook: ${variable} is no http(s) address, so nobody was told`;
  }
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(alarm),
      signal: AbortSignal.timeout(LONGEST_POST_MS),
    });
    await answer.body?.cancel();
    return answer.ok
      ? null
      : `drift.webhook: what ${variable} names answered ${answer.status}; nobody may have been told`;
  } catch {
    // The reason may quote the address.
    return `drift.webhook: what ${variable} names did not answer; nobody may have been told`;
  }
}
