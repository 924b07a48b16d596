import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { modelKeys } from "../data/model-keys.ts";
import { plainText } from "../data/plain-text.ts";
import { evaluationsQuery } from "../data/queries.ts";
import type { EvaluationView } from "../data/source.ts";
import { useSource } from "../data/source-context.tsx";

interface SideChoiceProps {
  readonly title: string;
  readonly view: EvaluationView;
  readonly model: string;
  /** A null model is the first one that the evaluation has. */
  readonly onChange: (id: string, model: string | null) => void;
}

/** Which evaluation, and which of its models, stands on one side. */
export function SideChoice({ title, view, model, onChange }: SideChoiceProps) {
  const source = useSource();
  const { mayAct } = source;
  const { data } = useInfiniteQuery(evaluationsQuery(source, null));
  const recent = data?.pages.flatMap(({ items }) => items.map((item) => item.id)) ?? [];
  const { id } = view.evaluation;
  const [typed, setTyped] = useState<string>(id);
  return (
    <form
      className="card filters"
      aria-label={`Side ${title}`}
      onSubmit={(event) => {
        event.preventDefault();
        onChange(typed.trim(), null);
      }}
    >
      <label>
        {title}: evaluation
        <input
          type="text"
          list={`evaluations-${title}`}
          value={typed}
          readOnly={!mayAct}
          onChange={({ target }) => {
            setTyped(target.value);
            // One that is on the list was chosen, not typed.
            if (recent.some((known) => known === target.value)) onChange(target.value, null);
          }}
        />
        <datalist id={`evaluations-${title}`}>
          {recent.map((evaluation) => (
            <option key={evaluation} value={evaluation} />
          ))}
        </datalist>
      </label>
      {typed.trim() === id ? null : <button type="submit">Show</button>}
      <label>
        Model
        <select value={model} onChange={({ target }) => onChange(id, target.value)}>
          {modelKeys(view.evaluation).map((key) => (
            <option key={key} value={key}>
              {plainText(key)}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}
