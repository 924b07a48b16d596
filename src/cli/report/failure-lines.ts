import { type Line, lineWidth, padLine } from "../text/line.ts";
import type { FailureGroup } from "./failure-groups.ts";

/** One line per cause: how often, whose fault, and what one of them said. */
export function failureLines(groups: readonly FailureGroup[]): Line[] {
  if (groups.length === 0) return [];
  const rows = groups.map((group) => ({
    count: [["! ", "yellow"], [`${group.count} × ${group.cause}`]] satisfies Line,
    fault: [[FAULT_WORDS[group.fault], "dim"]] satisfies Line,
    example: [[group.example]] satisfies Line,
  }));
  const widest = (cell: "count" | "fault") => Math.max(...rows.map((row) => lineWidth(row[cell])));
  const [countWidth, faultWidth] = [widest("count"), widest("fault")];
  return [
    [["Failures", "bold"]],
    ...rows.map(
      (row): Line => [
        ...padLine(row.count, countWidth),
        ["  "],
        ...padLine(row.fault, faultWidth),
        ["  "],
        ...row.example,
      ],
    ),
  ];
}

const FAULT_WORDS = {
  model: "the model's",
  infrastructure: "infrastructure",
  stopped: "stopped",
} as const;
