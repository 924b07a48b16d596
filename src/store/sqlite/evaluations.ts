import { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import type { RunSpan } from "../../domain/plan.ts";
import type { Problem } from "../../domain/problem.ts";
import type { EvaluationPlace } from "../readers.ts";
import type { EvaluationState, Saved, Updated } from "../store.ts";
import { isAsExpected, problemFromText, problemToText, readStored } from "../stored.ts";
import { inPages, type Row, type SqliteRows } from "./rows.ts";
import { nameKey, problemKey, SQL } from "./schema.ts";

/** A problem may be large, so few are in memory at once. */
const PROBLEMS_PER_PAGE = 50;

/** The rows of evaluations and of the problems that they are about. */
export class SqliteEvaluations {
  readonly #rows: SqliteRows;

  constructor(rows: SqliteRows) {
    this.#rows = rows;
  }

  /** `onNew` is called before anybody sees the evaluation. */
  create(record: EvaluationRecord, problems: Iterable<Problem>, onNew: () => void): Saved {
    return this.#rows.together(() => {
      const { id, name, startedAt } = record;
      const values = [id, nameKey(name), Date.parse(startedAt), JSON.stringify(record)];
      if (this.#rows.write(SQL.createEvaluation, values) === "already-there") return "already-there";
      let position = 0;
      for (const problem of problems) {
        const kept = [id, position++, problemKey(problem.id), problemToText(problem)];
        this.#rows.write(SQL.createProblem, kept);
      }
      onNew();
      return "saved";
    });
  }

  update(record: EvaluationRecord, expected?: EvaluationState): Updated | "unknown" {
    const { id, name, startedAt } = record;
    const values = [nameKey(name), Date.parse(startedAt), JSON.stringify(record), id];
    return this.#rows.together(() => {
      const present = this.find(id);
      if (present === null) return "unknown";
      if (!isAsExpected(present, expected)) return "changed";
      this.#rows.write(SQL.updateEvaluation, values);
      return "updated";
    });
  }

  find(id: EvaluationId): EvaluationRecord | null {
    return this.#rows.read(SQL.findEvaluation, { id }).map(readRecord)[0] ?? null;
  }

  after(name: string | undefined, place: EvaluationPlace | null, limit: number): EvaluationRecord[] {
    const { startedMs, id } = place ?? BEFORE_ALL;
    const wanted = { name: name === undefined ? null : nameKey(name), startedMs, id, limit };
    return this.#rows.read(SQL.evaluationsAfter, wanted).map(readRecord);
  }

  async *problems(evaluation: EvaluationId, { from, to }: RunSpan): AsyncGenerator<Problem> {
    const readAfter = (position: number, limit: number) =>
      this.#rows.read(SQL.problemsAfter, { evaluation, position, beyond: to, limit });
    for await (const row of inPages(from - 1, PROBLEMS_PER_PAGE, readAfter, (last) =>
      Number(last.position),
    )) {
      yield problemFromText(row.problem, `Problem ${row.position} of ${evaluation}`);
    }
  }

  problemAt(evaluation: EvaluationId, position: number): Problem {
    const wanted = { evaluation, position: position - 1, beyond: position + 1, limit: 1 };
    const [row] = this.#rows.read(SQL.problemsAfter, wanted);
    return problemFromText(row?.problem, `Problem ${position} of ${evaluation}`);
  }
}

const BEFORE_ALL = { startedMs: Number.MAX_SAFE_INTEGER, id: "" };

const readRecord = (row: Row): EvaluationRecord =>
  readStored(EvaluationRecord, row.record, "The record of an evaluation");
