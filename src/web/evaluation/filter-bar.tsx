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
    ["right", "correct"],
    ["wrong", "wrong"],
    ["failed", "failed"],
    ["open", "not run or not scored"],
    ["differs", "models differ"],
    ...(hasTrials ? [["flaky", "flaky over trials"] as const] : []),
  ] as const;
  return (
    <div className="filters">
      <Choice label="Model" value={filter.model} options={models.map(asOption)} onChange={change("model")} />
      <Choice label="Outcome" value={filter.outcome} options={outcomes} onChange={change("outcome")} />
      {causes.length > 0 ? (
        <Choice
          label="Cause"
          value={filter.cause}
          options={causes.map(asOption)}
          onChange={change("cause")}
        />
      ) : null}
      {tags.length > 0 ? (
        <Choice label="Tag" value={filter.tag} options={tags.map(asOption)} onChange={change("tag")} />
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

/** Makes an option whose value is what is shown. */
export const asOption = (word: string) => [word, word] as const;

interface ChoiceProps {
  readonly label: string;
  /** Undefined is all of them. */
  readonly value: string | undefined;
  readonly isOne?: boolean;
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly onChange: (value: string) => void;
}

/** Chooses one of several options, or all unless it has to be one. */
export function Choice({ label, value = "", isOne = false, options, onChange }: ChoiceProps) {
  return (
    <label className="field">
      {label}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {isOne ? null : <option value="">all</option>}
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {plainText(words)}
          </option>
        ))}
      </select>
    </label>
  );
}
