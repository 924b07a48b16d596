import * as z from "zod";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import { EvaluationId } from "../domain/ids.ts";
import { cursor } from "./read-entries.ts";
import type { EvaluationFilter, Page, PageRequest } from "./store.ts";

/** Where an evaluation stands among others, newest first. */
const EvaluationPlace = z.object({ startedMs: z.int(), id: EvaluationId });
export type EvaluationPlace = z.infer<typeof EvaluationPlace>;

/** The next evaluations after a place, or the newest; fewer than asked for when nothing follows. */
export type ReadEvaluations = (
  name: string | undefined,
  after: EvaluationPlace | null,
  limit: number,
) => Promise<readonly EvaluationRecord[]>;

const CURSOR = cursor("evaluations", EvaluationPlace);
const RECORDS_PER_READ = 100;
/** A tag that few evaluations have must not make one page read them all. */
const READS_PER_PAGE = 10;

export async function pageEvaluations(
  readAfter: ReadEvaluations,
  filter: Omit<EvaluationFilter, "limit">,
  page: PageRequest,
): Promise<Page<EvaluationRecord>> {
  const items: EvaluationRecord[] = [];
  let after = CURSOR.read(page.cursor);
  for (let reads = 0; reads < READS_PER_PAGE; reads++) {
    const records = await readAfter(filter.name, after, RECORDS_PER_READ);
    for (const record of records) {
      if (items.length === page.limit) return { items, next: after && CURSOR.write(after) };
      if (isWanted(record, filter)) items.push(record);
      after = placeOf(record);
    }
    if (records.length < RECORDS_PER_READ) return { items, next: null };
  }
  return { items, next: after && CURSOR.write(after) };
}

export async function listEvaluations(
  readAfter: ReadEvaluations,
  { limit = Number.POSITIVE_INFINITY, ...filter }: EvaluationFilter,
): Promise<readonly EvaluationRecord[]> {
  const found: EvaluationRecord[] = [];
  for (let next: string | null | undefined; next !== null && found.length < limit; ) {
    const page = { limit: limit - found.length, ...(next === undefined ? {} : { cursor: next }) };
    const { items, next: following } = await pageEvaluations(readAfter, filter, page);
    found.push(...items);
    next = following;
  }
  return found;
}

export const placeOf = ({ startedAt, id }: EvaluationRecord): EvaluationPlace => ({
  startedMs: Date.parse(startedAt),
  id,
});

const isWanted = (record: EvaluationRecord, { tag, status }: EvaluationFilter): boolean =>
  (tag === undefined || record.tags.includes(tag)) && (status === undefined || record.status === status);
