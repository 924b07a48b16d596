import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import type { LogEntry } from "../../domain/log-entry.ts";
import { evaluationQuery } from "../data/queries.ts";
import type { EvaluationView } from "../data/source.ts";
import { useSource } from "../data/source-context.tsx";
import { useNeighbours } from "../data/use-neighbours.ts";
import { useTitle } from "../data/use-title.ts";
import { Asked } from "../parts/asked.tsx";
import { Crash } from "../parts/crash.tsx";
import { RunNavigation } from "../parts/run-navigation.tsx";
import { RunView } from "../parts/run-view.tsx";

const route = getRouteApi("/evaluations/$id/runs/$runId");

/** One run: what was asked, what came, and how it came to it. */
export function RunPage() {
  const { id, runId } = route.useParams();
  const filter = route.useSearch();
  useTitle(`Run ${runId} of ${id}`);
  const source = useSource();
  const evaluation = useQuery(evaluationQuery(source, id));
  const rounds = useQuery({
    queryKey: ["rounds", id, runId, evaluation.data?.evaluation.round],
    queryFn: ({ signal }) => source.rounds(id, runId, signal),
    refetchInterval: ({ state }) => (state.data?.length === 0 ? 3_000 : false),
  });
  return (
    <>
      <div className="bar apart small">
        <Link to="/evaluations/$id" params={{ id }} search={filter}>
          ↑ {id}
        </Link>
        {evaluation.data === undefined ? null : <Neighbours view={evaluation.data} />}
      </div>
      {evaluation.isError ? <Crash error={evaluation.error} /> : null}
      <Asked query={rounds}>{(entries) => <Rounds entries={entries} />}</Asked>
    </>
  );
}

function Neighbours({ view }: { readonly view: EvaluationView }) {
  const { id, runId } = route.useParams();
  const filter = route.useSearch();
  const neighbours = useNeighbours(view, Number(runId), filter);
  return <RunNavigation id={id} filter={filter} {...neighbours} />;
}

function Rounds({ entries }: { readonly entries: readonly LogEntry[] }) {
  const [chosen, setChosen] = useState<number | null>(null);
  const entry = entries.find(({ round }) => round === chosen) ?? entries.at(-1);
  if (entry === undefined) return <p className="empty">This run has not ended yet.</p>;
  return (
    <>
      {entries.length > 1 ? (
        <label className="small">
          Round{" "}
          <select value={entry.round} onChange={({ target }) => setChosen(Number(target.value))}>
            {entries.map(({ round, failure }) => (
              <option key={round} value={round}>
                {round}
                {failure === null ? "" : ` (${failure.cause})`}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {entry.recheckOf === null ? null : (
        <p className="small quiet">
          No agent ran in this round: it checks the result of{" "}
          <button type="button" className="link" onClick={() => setChosen(entry.recheckOf)}>
            round {entry.recheckOf}
          </button>{" "}
          again.
        </p>
      )}
      <RunView entry={entry} />
    </>
  );
}
