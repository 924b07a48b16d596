import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import type { RunFilter } from "../data/run-filter.ts";
import type { Neighbours } from "../data/use-neighbours.ts";

interface RunNavigationProps extends Neighbours {
  readonly id: string;
  readonly filter: RunFilter;
}

/** The way to the runs beside this one, by mouse and by keys. */
export function RunNavigation({ id, filter, previous, next }: RunNavigationProps) {
  const navigate = useNavigate();
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const number = { j: next, ArrowRight: next, k: previous, ArrowLeft: previous }[event.key];
      if (number !== undefined && number !== null) {
        void navigate({
          to: "/evaluations/$id/runs/$runId",
          params: { id, runId: String(number) },
          search: filter,
        });
      }
      if (event.key === "Escape" || event.key === "u") {
        void navigate({ to: "/evaluations/$id", params: { id }, search: filter });
      }
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [navigate, id, filter, previous, next]);
  return (
    <nav className="bar small" aria-label="Runs">
      <Neighbour id={id} filter={filter} number={previous} words="← previous" />
      <Neighbour id={id} filter={filter} number={next} words="next →" />
      <span className="quiet">
        <kbd>k</kbd> <kbd>j</kbd> previous and next, <kbd>u</kbd> up
      </span>
    </nav>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.matches("input, textarea, select, pre") || target.isContentEditable);

interface NeighbourProps extends Pick<RunNavigationProps, "id" | "filter"> {
  readonly number: number | null;
  readonly words: string;
}

function Neighbour({ id, filter, number, words }: NeighbourProps) {
  if (number === null) return <span className="quiet">{words}</span>;
  return (
    <Link to="/evaluations/$id/runs/$runId" params={{ id, runId: String(number) }} search={filter}>
      {words}
    </Link>
  );
}
