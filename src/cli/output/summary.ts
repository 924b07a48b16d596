import { comparisonSentence } from "../../statistics/compare.ts";
import { againstNotes, againstTable, comparisonNotes } from "../pages/comparison.ts";
import { modelTable, ownColumnsOf, statsColumnsOf } from "../pages/stats-table.ts";
import { ACCURACY_NOTE, footnotes, foreignLines, titleLine, uncheckedLines } from "../pages/summary.ts";
import type { FinishedEvaluation } from "../run/fold-entries.ts";
import { escapeText, type Line } from "../text/screen.ts";
import type { Cell, TextTable } from "../text/table.ts";

const MOST_COMPARED = 15;

/** Writes the summary in Markdown: how accurate each model is, what changed, and why runs failed. */
export function summaryMarkdown(finished: FinishedEvaluation): string {
  const { record, stats, report } = finished;
  const [, ...ending] = titleLine(record, stats);
  const blocks = [
    `## ${escapeMarkdown(record.name)}`,
    escapeMarkdown(textOf(ending).trimStart()),
    tableOf(modelTable([...statsColumnsOf(Object.values(stats)), ...ownColumnsOf(finished)], finished)),
    footnotes(stats, report, Number.POSITIVE_INFINITY, [ACCURACY_NOTE])
      .map(textOf)
      .map(escapeMarkdown)
      .join("  \n"),
    uncheckedLines(record, Number.POSITIVE_INFINITY).map(textOf).map(escapeMarkdown).join("  \n"),
    foreignLines(record, Number.POSITIVE_INFINITY).map(textOf).join("  \n"),
    listOf(
      report.comparisons
        .slice(0, MOST_COMPARED)
        .map((each) => comparisonSentence(each.first, each.second, each)),
    ),
    comparisonNotes(report.comparisons).map(escapeMarkdown).join("  \n"),
    ...againstBlocks(finished),
    gateTable(finished),
    failureTable(finished),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function againstBlocks({ against }: FinishedEvaluation): string[] {
  if (against === null || against.comparisons.length === 0) return [];
  return [
    `### Against ${escapeMarkdown(against.baseline)}`,
    tableOf(againstTable(against.comparisons)),
    againstNotes(against.comparisons).map(escapeMarkdown).join("  \n"),
  ];
}

function gateTable({ gates }: FinishedEvaluation): string {
  const columns = ["gate", "model", "why"].map((title) => ({ title }));
  const rows = gates.map(({ outcome, model, says }) => [OUTCOMES[outcome], model, says]);
  return rows.length === 0 ? "" : `### Gates\n\n${tableOf({ columns, rows })}`;
}

const OUTCOMES = { passed: "✓ passed", failed: "✗ failed", undecided: "? cannot tell" } as const;

function failureTable({ failures }: FinishedEvaluation): string {
  const columns = ["failures", "cause", "blamed on", "model", "for example"].map((title) => ({ title }));
  const groups = failures.groups();
  const rows = groups.map(({ count, cause, fault, model, example }) => [
    String(count),
    cause,
    fault,
    model,
    example,
  ]);
  return rows.length === 0 ? "" : tableOf({ columns, rows });
}

const textOf = (line: Line): string => line.map(([text]) => text).join("");

const listOf = (items: readonly string[]): string =>
  items.map((item) => `- ${escapeMarkdown(item)}`).join("\n");

function tableOf({ columns, rows }: TextTable): string {
  const line = (cells: readonly Cell[]) =>
    `| ${cells.map((cell) => escapeMarkdown(typeof cell === "string" ? cell : textOf(cell))).join(" | ")} |`;
  const titles = columns.map(({ title }) => title);
  return [line(titles), `| ${titles.map(() => "---").join(" | ")} |`, ...rows.map(line)].join("\n");
}

/**
 * Escapes what a model or a user wrote: no markup, no table. Mentions, links and formulas are looked for in the text that
 * comes of it, so what makes one stands in an element of its own; a price opens a formula that nothing closes.
 */
const escapeMarkdown = (text: string): string =>
  escapeText(text.replaceAll(/\s+/g, " ")).replaceAll(SIGNS, (sign) => {
    const spelled = `&#${sign.charCodeAt(0)};`;
    if ("&<".includes(sign)) return spelled;
    return "@#$:.-".includes(sign) ? `<span>${spelled}</span>` : `\\${sign}`;
  });

const SIGNS = /[\\`*_[\]|~&<@#]|\$(?!\d)|:(?=\/\/)|(?<=www)\.|(?<=gh)-(?=\d)/gi;
