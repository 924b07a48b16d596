import { formatShare } from "../../domain/show/format-share.ts";
import type { Findings } from "../data/findings.ts";
import { plainText } from "../data/plain-text.ts";
import { ColumnHeads } from "./column-heads.tsx";

const MOST_TAGS = 12;

/** The accuracy of every model on the problems of each tag. */
export function Slices({ models }: Pick<Findings, "models">) {
  const reports = Object.entries(models);
  const tags = [...new Set(reports.flatMap(([, { slices }]) => slices.map(({ tag }) => tag)))].sort();
  if (tags.length === 0) return null;
  const names = reports.map(([model]) => plainText(model));
  return (
    <section className="card" aria-labelledby="slices">
      <h2 id="slices">By tag</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the keys. */}
      <div className="scroll-x" role="region" aria-label="By tag" tabIndex={0}>
        <table className="leaderboard">
          <ColumnHeads names={["Tag", ...names]} numbers={names} />
          <tbody>
            {tags.slice(0, MOST_TAGS).map((tag) => (
              <tr key={tag}>
                <th scope="row">{plainText(tag)}</th>
                {reports.map(([model, { slices }]) => (
                  <td key={model} className="number">
                    <Share slice={slices.find((slice) => slice.tag === tag)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {tags.length > MOST_TAGS ? (
        <p className="small quiet">
          and {tags.length - MOST_TAGS} more tags; the filter below knows them all
        </p>
      ) : null}
    </section>
  );
}

type Slice = Findings["models"][string]["slices"][number];

function Share({ slice }: { readonly slice: Slice | undefined }) {
  if (slice === undefined) return "–";
  const { value, low, high } = slice.accuracy;
  return (
    <>
      {formatShare(value)}{" "}
      <span className="quiet small">
        {formatShare(low)} – {formatShare(high)}
      </span>
    </>
  );
}
