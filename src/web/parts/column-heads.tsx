interface ColumnHeadsProps {
  readonly names: readonly string[];
  /** Those whose cells are numbers, which stand to the right. */
  readonly numbers: readonly string[];
}

/** The head of a table. */
export const ColumnHeads = ({ names, numbers }: ColumnHeadsProps) => (
  <thead>
    <tr>
      {names.map((name) => (
        <th key={name} scope="col" className={numbers.includes(name) ? "number" : undefined}>
          {name}
        </th>
      ))}
    </tr>
  </thead>
);
