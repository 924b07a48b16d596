import { formatCost, formatCount, formatDuration, plural } from "../../domain/format.ts";
import type { Bounds, Estimate } from "../../domain/stats/estimate.ts";
import type { FileEstimate } from "../run/estimate.ts";
import { BLANK, type Line } from "../text/line.ts";
import { type Cell, type Column, layTable } from "../text/table.ts";

const COLUMNS: readonly Column[] = [
  { title: "model" },
  ...["runs", "tokens", "models", "AWS", "time"].map((title): Column => ({ title, align: "right" })),
];

/** Low, expected and high for each model and for all of them. */
export function estimateLines({ name, models, total, seen, pilot }: FileEstimate, width: number): Line[] {
  const rows = [...models].flatMap(([key, estimate]) => rowsOf(key, estimate));
  const totals = models.size > 1 ? rowsOf("all", total) : [];
  const how = pilot === null ? "" : `, some of them now (${pilot})`;
  return [
    [
      [name, "bold"],
      [`  from ${plural(seen, "run")}${how}`, "dim"],
    ],
    BLANK,
    ...layTable(COLUMNS, [...rows, ...totals], width),
    BLANK,
    [["AWS is what runs in the cloud cost beside their models.", "dim"]],
    ...(total.modelUsd === null
      ? [[["A price that is not known is unknown; give it in `prices`.", "dim"]] as const]
      : []),
  ];
}

const BOUNDS = ["low", "expected", "high"] as const satisfies readonly (keyof Bounds)[];

const rowsOf = (name: string, estimate: Estimate): Cell[][] =>
  BOUNDS.map((bound) => [
    [`${name} ${bound}`],
    [String(estimate.runs)],
    [estimate.tokens === null ? "unknown" : formatCount(Math.round(estimate.tokens[bound]))],
    [formatCost(estimate.modelUsd?.[bound] ?? null)],
    [formatCost(estimate.awsUsd[bound])],
    [formatDuration(estimate.seconds[bound])],
  ]);
