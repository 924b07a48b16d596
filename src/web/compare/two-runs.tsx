import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { verdictOf } from "../../domain/run/verdict.ts";
import { plainText, showJson } from "../data/plain-text.ts";
import { bodyQuery } from "../data/queries.ts";
import { useSource } from "../data/source-context.tsx";
import { VerdictMark } from "../parts/marks.tsx";
import { LongText } from "../parts/text.tsx";
import { Asked } from "../run/run-view.tsx";
import { Transcript } from "../run/transcript.tsx";

interface Side {
  readonly id: string;
  readonly number: number;
}

/** Two runs of one problem next to each other. */
export function TwoRuns({ a, b }: { readonly a: Side; readonly b: Side }) {
  return (
    <div className="halves">
      <OneRun {...a} />
      <OneRun {...b} />
    </div>
  );
}

function OneRun({ id, number }: Side) {
  const source = useSource();
  const query = useQuery({
    queryKey: ["rounds", id, String(number)],
    queryFn: ({ signal }) => source.rounds(id, String(number), signal),
  });
  return (
    <section className="card">
      <Asked query={query}>
        {(rounds) => {
          const entry = rounds.at(-1);
          return entry === undefined ? (
            <p className="empty">This run has not ended yet.</p>
          ) : (
            <Entry entry={entry} />
          );
        }}
      </Asked>
    </section>
  );
}

function Entry({ entry }: { readonly entry: LogEntry }) {
  const { evaluationId, index } = entry;
  const body = useQuery(bodyQuery(useSource(), entry));
  return (
    <>
      <div className="bar">
        <VerdictMark letter={verdictOf(entry)} />
        <h2>
          <Link to="/evaluations/$id/runs/$runId" params={{ id: evaluationId, runId: String(index) }}>
            {plainText(`${entry.providerKey}/${entry.model}`)}
          </Link>
        </h2>
      </div>
      {entry.failure === null ? (
        <LongText text={showJson(entry.result ?? body.data?.result ?? null)} label="Result" />
      ) : (
        <p className="failed">
          {entry.failure.cause}: {plainText(entry.failure.message)}
        </p>
      )}
      {entry.reason === null ? null : <p className="small">{plainText(entry.reason)}</p>}
      <Asked query={body}>{(loaded) => <Transcript steps={loaded?.transcript ?? []} />}</Asked>
    </>
  );
}
