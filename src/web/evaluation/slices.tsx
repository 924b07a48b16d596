import { Link } from "@tanstack/react-router";
import { formatEstimate } from "../../domain/stats/estimate.ts";
import { comparisonEvidence, TOO_EARLY } from "../../statistics/compare.ts";
import { plainText } from "../data/display.ts";
import type { Findings } from "../data/findings.ts";
import { ShareText } from "../parts/marks.tsx";
import { Table, type TableColumn } from "../parts/table.tsx";

interface DifferencesProps {
  readonly id: string;
  readonly findings: Findings | null;
}

/** Shows whether the best model is really the best, and what else to know before trusting the table. */
export function Differences({ id, findings }: DifferencesProps) {
  if (findings === null) return <p className="quiet">Counting…</p>;
  const { best, comparisons, rankingDoubts, isRough, models } = findings;
  return (
    <>
      {best === null || comparisons.length === 0 ? (
        <p className="quiet">Only one model; nothing to compare.</p>
      ) : (
        <ul className="plain">
          {comparisons.map((comparison) => (
            <li key={comparison.other}>
              <Link to="/compare" search={{ a: id, aModel: best, b: id, bModel: comparison.other }}>
                {plainText(`${best} and ${comparison.other}`)}
              </Link>
              : {sentence(comparison)}
            </li>
          ))}
        </ul>
      )}
      <Caution comparisons={comparisons} />
      {rankingDoubts.map(({ ahead, behind, lostRuns }) => (
        <p key={`${ahead} ${behind}`} className="notice small">
          {lostRuns} runs lost to your code or the infrastructure could reverse the order of{" "}
          {plainText(`${ahead} and ${behind}`)}.
        </p>
      ))}
      {isRough ? (
        <p className="quiet small">With fewer than 20 problems, intervals are approximate.</p>
      ) : null}
      <Flaky models={models} />
    </>
  );
}

/** Says what the p-values above are, or that it is too early for them. */
function Caution({ comparisons }: Pick<Findings, "comparisons">) {
  if (comparisons.some(({ verdict }) => verdict === "too early")) {
    return <p className="quiet small">{TOO_EARLY}</p>;
  }
  if (comparisons.length === 0) return null;
  return (
    <p className="quiet small">
      95% intervals are for problems like these.
      {comparisons.length > 1 ? " p-values are corrected for all pairs of models (Holm)." : ""}
    </p>
  );
}

function sentence(comparison: Findings["comparisons"][number]) {
  const { verdict, difference } = comparison;
  if (difference === null) return "no problem was answered by both.";
  if (verdict === "too early") return comparisonEvidence(comparison);
  const says = verdict === "not distinguishable" ? "no significant difference" : "significant difference";
  return `${says}: ${comparisonEvidence(comparison)}`;
}

function Flaky({ models }: Pick<Findings, "models">) {
  const flaky = Object.entries(models).filter(([, report]) => report.passes.length > 0);
  if (flaky.length === 0) return null;
  return (
    <ul className="plain small">
      {flaky.map(([model, { passes, flaky: problems }]) => {
        const last = passes.at(-1);
        return last === undefined ? null : (
          <li key={model}>
            {plainText(model)}: pass@{last.k} {formatEstimate(last.passAtK)}, pass^{last.k}{" "}
            {formatEstimate(last.passHatK)} on {last.problems} problems, {problems.length} flaky problems
          </li>
        );
      })}
    </ul>
  );
}

const MOST_TAGS = 12;

/** Shows the accuracy of every model on the problems of each tag. */
export function Slices({ models }: Pick<Findings, "models">) {
  const reports = Object.entries(models);
  const tags = [...new Set(reports.flatMap(([, { slices }]) => slices.map(({ tag }) => tag)))].sort();
  if (tags.length === 0) return null;
  const columns: TableColumn<string>[] = reports.map(([model, { slices }]) => ({
    title: plainText(model),
    cell: (tag) => <ShareText estimate={slices.find((slice) => slice.tag === tag)?.accuracy ?? null} />,
    isNumber: true,
  }));
  return (
    <section className="card" aria-labelledby="slices">
      <h2 id="slices">By tag</h2>
      <Table
        name="By tag"
        className="wide"
        rows={tags.slice(0, MOST_TAGS)}
        keyOf={(tag) => tag}
        columns={[{ title: "Tag", cell: plainText }, ...columns]}
      />
      {tags.length > MOST_TAGS ? (
        <p className="small quiet">and {tags.length - MOST_TAGS} more tags; the filter below has them all</p>
      ) : null}
    </section>
  );
}
