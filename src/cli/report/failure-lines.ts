import { plural } from "../../domain/show/format-count.ts";
import { escapeText } from "../text/escape-text.ts";
import { type Line, lineWidth, padLine } from "../text/line.ts";
import { cutText } from "../text/text-width.ts";
import type { FailureGroup } from "./failure-groups.ts";

/** So many groups are read; `show` has all of them. */
const MOST_SHOWN = 12;
const INDENT = "    ";

/** Per cause and model: how often, whose fault, and below it what one of them said; in a log all of it on one line. */
export function failureLines(groups: readonly FailureGroup[], width: number, most = MOST_SHOWN): Line[] {
  if (groups.length === 0) return [];
  const shown = groups.slice(0, most);
  const cells = shown.map(({ count, cause, fault, model }): Line[] => [
    [["! ", "yellow"], [`${count} × ${cause}`]],
    [[FAULT_WORDS[fault], "dim"]],
    [[model]],
  ]);
  const widths = [0, 1, 2].map((at) => Math.max(...cells.map((row) => lineWidth(row[at] ?? []))));
  const left = groups.length - shown.length;
  return [
    [["Failures", "bold"]],
    ...shown.flatMap(({ example }, at) => groupLines(cells[at] ?? [], widths, example, width)),
    ...(left > 0 ? [[[`… ${plural(left, "group")} more; show has all of them`, "dim"]] satisfies Line] : []),
  ];
}

function groupLines(
  cells: readonly Line[],
  widths: readonly number[],
  example: string,
  width: number,
): Line[] {
  const text = escapeText(example);
  const isLog = !Number.isFinite(width);
  const head = cells.flatMap((cell, at): Line => {
    const isLast = at === cells.length - 1 && !isLog;
    return [...(at === 0 ? [] : [["  "] as const]), ...(isLast ? cell : padLine(cell, widths[at] ?? 0))];
  });
  if (isLog) return [[...head, [`  ${text}`]]];
  return [head, [[`${INDENT}${cutText(text, width - INDENT.length)}`]]];
}

const FAULT_WORDS = {
  model: "the model's",
  infrastructure: "infrastructure",
  stopped: "stopped",
} as const;
