import { plainText } from "../data/display.ts";
import type { RunFilter } from "../data/grid.ts";

interface FilterBarProps {
  readonly filter: RunFilter;
  readonly onChange: (filter: RunFilter) => void;
  readonly models: readonly string[];
  readonly causes: readonly string[];
  readonly tags: readonly string[];
  readonly hasTrials: boolean;
}

/** Chooses which problems are shown. */
export function FilterBar({ filter, onChange, models, causes, tags, hasTrials }: FilterBarProps) {
  const change = (name: keyof RunFilter) => (value: string) => {
    const { [name]: _, ...rest } = filter;
    onChange(value === "" ? rest : { ...rest, [name]: value });
  };
  const outcomes = [
    ["right", "right"],
    ["wrong", "wrong"],
    ["failed", "failed"],
    ["open", "not run or not scored"],
    ["differs", "models differ"],
    ...(hasTrials ? [["flaky", "flaky over trials"] as const] : []),
  ] as const;
  const only = (words: readonly string[]) => words.map((word) => [word, word] as const);
  return (
    <div className="filters">
      <Choice label="Model" value={filter.model} options={only(models)} onChange={change("model")} />
      <Choice label="Outcome" value={filter.outcome} options={outcomes} onChange={change("outcome")} />
      {causes.length > 0 ? (
        <Choice label="Cause" value={filter.cause} options={only(causes)} onChange={change("cause")} />
      ) : null}
      {tags.length > 0 ? (
        <Choice label="Tag" value={filter.tag} options={only(tags)} onChange={change("tag")} />
      ) : null}
      <label className="field">
        Search
        <input
          type="search"
          value={filter.text ?? ""}
          placeholder="in the problem or its id"
          onChange={({ target }) => change("text")(target.value)}
        />
      </label>
      {Object.keys(filter).length > 0 ? (
        <button type="button" onClick={() => onChange({})}>
          Show all
        </button>
      ) : null}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value = "", options, onChange }: ChoiceProps) {
  return (
    <label className="field">
      {label}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">all</option>
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {plainText(words)}
          </option>
        ))}
      </select>
    </label>
  );
}
