import { writeDocument } from "../report/json-document.ts";
import { wholeEntries } from "../report/whole-entries.ts";
import type { Against } from "./regression.ts";
import type { JobOutcome } from "./run-job.ts";
import type { Session } from "./session.ts";

export interface DocumentWriter {
  write(outcome: JobOutcome, against: Against | null): Promise<void>;
  end(): void;
}

/** One document per call: `{ evaluation, stats, report, logs }`, or `{ evaluations: […] }` when several files were given. */
export function documentWriter({ host, store }: Session, count: number): DocumentWriter {
  const isList = count > 1;
  let written = 0;
  return {
    async write({ record, stats, report }, against) {
      if (isList) host.stdout.write(written === 0 ? '{"evaluations":[' : ",");
      written++;
      await writeDocument(host.stdout, {
        evaluation: record,
        stats,
        report,
        against,
        logs: wholeEntries(await store.open(), record.id),
      });
    },
    end() {
      if (isList) host.stdout.write(written === 0 ? '{"evaluations":[]}' : "]}");
      if (isList || written > 0) host.stdout.write("\n");
    },
  };
}
