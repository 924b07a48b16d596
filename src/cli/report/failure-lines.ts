import { escapeText } from "../text/escape-text.ts";
import { type Line, lineWidth, padLine } from "../text/line.ts";
import { cutText, wrapText } from "../text/text-width.ts";
import type { FailureGroup } from "./failure-groups.ts";

const MOST_EXAMPLE_LINES = 2;
const NARROWEST_EXAMPLE = 20;

/** One row per cause: how often, whose fault, and what one of them said. */
export function failureLines(groups: readonly FailureGroup[], width: number): Line[] {
  if (groups.length === 0) return [];
  const rows = groups.map((group) => ({
    count: [["! ", "yellow"], [`${group.count} × ${group.cause}`]] satisfies Line,
    fault: [[FAULT_WORDS[group.fault], "dim"]] satisfies Line,
    example: escapeText(group.example),
  }));
  const widest = (cell: "count" | "fault") => Math.max(...rows.map((row) => lineWidth(row[cell])));
  const [countWidth, faultWidth] = [widest("count"), widest("fault")];
  const indent = countWidth + 2 + faultWidth + 2;
  return [
    [["Failures", "bold"]],
    ...rows.flatMap((row): Line[] => {
      const [first = "", ...more] = exampleLines(row.example, Math.max(NARROWEST_EXAMPLE, width - indent));
      const head = [...padLine(row.count, countWidth), ["  "], ...padLine(row.fault, faultWidth), ["  "]];
      return [[...head, [first]], ...more.map((line): Line => [[`${" ".repeat(indent)}${line}`]])] as Line[];
    }),
  ];
}

function exampleLines(example: string, width: number): string[] {
  const lines = wrapText(example, width);
  if (lines.length <= MOST_EXAMPLE_LINES) return lines;
  const kept = lines.slice(0, MOST_EXAMPLE_LINES);
  return kept.with(-1, cutText(`${kept.at(-1)} …`, width));
}

const FAULT_WORDS = {
  model: "the model's",
  infrastructure: "infrastructure",
  stopped: "stopped",
} as const;
