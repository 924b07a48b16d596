import { EvaluatorError } from "../domain/errors.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { EvaluationId } from "../domain/ids.ts";
import { countPlanned } from "../domain/plan.ts";
import { VERDICT, type VerdictRow } from "../domain/run/verdict.ts";
import { type Drift, type DriftAlarm, driftSentence } from "../domain/stats/drift.ts";
import type { EffortRow } from "../domain/stats/shard-stats.ts";
import { DriftSample, findDrift } from "../statistics/drift.ts";
import type { Store } from "../store/store.ts";

const LONGEST_POST_MS = 10_000;
/** How long to wait before each further try. */
const WAITS_MS = [500, 2_000] as const;

interface WebhookInput {
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
      return `drift.webhook: ${variable} is not set, so nobody was notified; set it, or remove the webhook`;
    if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
      return `drift.webhook: ${variable} is not an http(s) URL, so nobody was notified`;
    }
    let sent = await post(alarm, address);
    for (const waitMs of WAITS_MS) {
      if (!sent.mayRetry) break;
      await sleep(waitMs);
      sent = await post(alarm, address);
    }
    return sent.trouble === null
      ? null
      : `drift.webhook: the URL in ${variable} ${sent.trouble}; the alarm may have reached nobody`;
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

/** Answers with a warning when the alarm may not have arrived. */
export type SendAlarm = (alarm: DriftAlarm) => Promise<string | null>;

export interface DriftWatch {
  readonly store: DriftStore;
  readonly drift: Drift;
  readonly senders: readonly SendAlarm[];
  readonly warn: (message: string) => void;
}

/** Reports an evaluation that got worse; whatever goes wrong here is a warning, because the evaluation has ended well. */
export async function tellDrift(watch: DriftWatch, record: EvaluationRecord): Promise<void> {
  try {
    const alarm = await checkDrift(watch.store, record, watch.drift);
    if (alarm === null) return;
    watch.warn(alarm.text);
    const troubles = await Promise.all(watch.senders.map((send) => send(alarm)));
    for (const trouble of troubles) if (trouble !== null) watch.warn(trouble);
  } catch (error) {
    watch.warn(`drift was not checked: ${error instanceof Error ? error.message : String(error)}`);
  }
}

type DriftStore = SampleStore & Pick<Store, "listEvaluations">;

/** Compares an evaluation that has ended with those before it; null when there is nothing to tell. */
async function checkDrift(
  store: DriftStore,
  record: EvaluationRecord,
  drift: Drift,
): Promise<DriftAlarm | null> {
  const against = await chooseBaselines(store, record, drift);
  if (against.length === 0) return null;
  const findings = findDrift(
    await readDriftSample(store, [record.id]),
    await readDriftSample(store, against),
  );
  if (findings.length === 0) return null;
  const text = `${record.id} got worse than ${against.join(", ")}: ${findings.map(driftSentence).join("; ")}`;
  return { v: 1, text, evaluation: record.id, name: record.name, against, findings };
}

async function chooseBaselines(
  store: DriftStore,
  record: EvaluationRecord,
  { baseline, last = 0 }: Drift,
): Promise<EvaluationId[]> {
  if (baseline === undefined) {
    const listed = await store.listEvaluations({ name: record.name, status: "finished" });
    const earlier = listed.filter(({ id, startedAt }) => id !== record.id && startedAt <= record.startedAt);
    return earlier.slice(0, last).map(({ id }) => id);
  }
  if ((await store.findEvaluation(baseline)) !== null) return [baseline];
  throw new EvaluatorError(
    "drift.no_baseline",
    `drift.baseline of ${record.name} names the evaluation ${baseline}, which is not in this store; name another one, or use \`last\``,
  );
}

type SampleStore = Pick<Store, "findEvaluation" | "entries" | "shardStats" | "problems">;

/**
 * What evaluations say together. Where a deployment has counted them shard by shard, that is read, an item for 500
 * runs, and no entry: a million runs are two thousand items.
 */
async function readDriftSample(store: SampleStore, ids: readonly EvaluationId[]): Promise<DriftSample> {
  const sample = new DriftSample();
  for (const id of ids) {
    const record = await store.findEvaluation(id);
    const rows = record === null ? null : await readRows(store, record);
    if (record !== null && rows !== null) await addRows(store, record, rows, sample);
    else for await (const entry of store.entries(id)) sample.addEntry(entry);
  }
  return sample;
}

type Rows = VerdictRow & { readonly efforts: EffortRow };

/** Null unless every run was counted, by a release that counts what it took. */
async function readRows(store: SampleStore, record: EvaluationRecord): Promise<Rows[] | null> {
  const rows: Rows[] = [];
  let next = 0;
  for await (const { from, to, verdicts, efforts } of store.shardStats(record.id)) {
    if (efforts === undefined || from !== next || verdicts.includes(VERDICT.missing)) return null;
    rows.push({ from, verdicts, efforts });
    next = to;
  }
  return next === countPlanned(record) && next > 0 ? rows : null;
}

async function addRows(
  store: SampleStore,
  record: EvaluationRecord,
  rows: readonly Rows[],
  sample: DriftSample,
): Promise<void> {
  const problemIds: string[] = [];
  for await (const { id } of store.problems(record.id)) problemIds.push(id);
  for (const { efforts, ...row } of rows) sample.addRow(row, efforts, record, problemIds);
}
