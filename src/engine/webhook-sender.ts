import type { DriftAlarm } from "../domain/drift.ts";
import type { SendAlarm } from "./tell-drift.ts";

const LONGEST_POST_MS = 10_000;
/** How long to wait before each further try. */
const WAITS_MS = [500, 2_000] as const;

export interface WebhookInput {
  /** The variable that holds the address. */
  readonly variable: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Posts to the address in a variable, three times at most; no warning ever holds the address. */
export const webhookSender =
  ({ variable, variables, sleep }: WebhookInput): SendAlarm =>
  async (alarm) => {
    const address = variables[variable]?.trim();
    if (!address)
      return `drift.webhook: ${variable} is not set, so nobody was told; set it, or remove the webhook`;
    if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
      return `drift.webhook: ${variable} is no http(s) address, so nobody was told`;
    }
    let sent = await post(alarm, address);
    for (const waitMs of WAITS_MS) {
      if (!sent.mayRetry) break;
      await sleep(waitMs);
      sent = await post(alarm, address);
    }
    return sent.trouble === null
      ? null
      : `drift.webhook: what ${variable} names ${sent.trouble}; nobody may have been told`;
  };

interface Posted {
  readonly trouble: string | null;
  readonly mayRetry: boolean;
}

async function post(alarm: DriftAlarm, address: string): Promise<Posted> {
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(alarm),
      signal: AbortSignal.timeout(LONGEST_POST_MS),
    });
    await answer.body?.cancel();
    if (answer.ok) return { trouble: null, mayRetry: false };
    return { trouble: `answered ${answer.status}`, mayRetry: answer.status === 429 || answer.status >= 500 };
  } catch {
    // The reason may quote the address.
    return { trouble: "did not answer", mayRetry: true };
  }
}
