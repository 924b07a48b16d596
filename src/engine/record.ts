import { deadlineOf } from "../domain/budget.ts";
import type { Clock } from "../domain/clock.ts";
import { EvaluatorError } from "../domain/errors.ts";
import type { EvaluationRecord, Provenance } from "../domain/evaluation.ts";
import { type EvaluationId, makeEvaluationId } from "../domain/ids.ts";
import { definedFields } from "../domain/json.ts";
import { digestOfProblems } from "../domain/problem.ts";
import type { Store } from "../store/store.ts";
import { sha256 } from "../system/digest.ts";
import type { Definition } from "./definition/read-definition.ts";

interface NewEvaluation {
  readonly definition: Definition;
  readonly fingerprint: string | null;
  /** Made up where none is given. */
  readonly id?: EvaluationId | undefined;
  readonly clock: Pick<Clock, "now">;
  readonly random: () => number;
  /** Where its code is from; nobody knows it where it is deployed. */
  readonly source?: CodeOrigin | undefined;
}

export type CodeOrigin = Omit<Provenance, "problems">;

const UNKNOWN_SOURCE: CodeOrigin = { commit: null, isDirty: null, version: null };

/** The record of an evaluation that begins now; `given` is what depends on where it runs and where it came from. */
export function newRecord(
  { definition, fingerprint, id, clock, random, source = UNKNOWN_SOURCE }: NewEvaluation,
  given: Partial<EvaluationRecord>,
): EvaluationRecord {
  const { name, models, trials, problems, limits, tags, concurrency, budget, gates } = definition;
  const now = clock.now();
  return {
    v: 1,
    id: id ?? makeEvaluationId(name, now.getTime(), random),
    name,
    status: "running",
    file: null,
    fingerprint,
    models: [...models],
    trials,
    problemCount: problems.length,
    limits,
    round: 1,
    tags: [...tags],
    startedAt: now.toISOString(),
    endedAt: null,
    owner: null,
    concurrency,
    stats: null,
    grownFrom: null,
    keepsFailed: true,
    recheck: null,
    budget: budget ?? null,
    deadline: deadlineOf(budget ?? null, now),
    execution: null,
    runnerVersion: null,
    ...definedFields({ gates }),
    provenance: { problems: digestOfProblems(problems, sha256), ...source },
    ...given,
  };
}

/** The record when runs start again, in this round or the next one. */
export function reopenRecord(
  before: EvaluationRecord,
  { budget = before.budget, now }: { readonly budget?: EvaluationRecord["budget"] | undefined; now: Date },
  given: Partial<EvaluationRecord>,
): EvaluationRecord {
  const deadline = deadlineOf(budget, now);
  return { ...before, status: "running", endedAt: null, stats: null, budget, deadline, ...given };
}

/** The record while a round checks stored results again; its end and its sums stay as they are. */
export function recheckRecord(
  before: EvaluationRecord,
  by: { readonly fingerprint: string | null; readonly runnerVersion: string | null },
  given: Partial<EvaluationRecord>,
): EvaluationRecord {
  const round = before.round + 1;
  return { ...before, status: "running", round, recheck: { round, ...by, unchecked: null }, ...given };
}

/** The record of an evaluation that must be there. */
export async function storedRecord(
  store: Pick<Store, "findEvaluation">,
  id: EvaluationId,
): Promise<EvaluationRecord> {
  const record = await store.findEvaluation(id);
  if (record !== null) return record;
  throw new EvaluatorError("evaluation.unknown", `there is no evaluation ${id} in this store`);
}
