import {
  formatCost,
  formatCount,
  formatDuration,
  formatEstimate,
  formatP,
  formatPoints,
} from "../../domain/format.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { comparisonSentence } from "../../statistics/compare.ts";
import type { EvaluationReport } from "../../statistics/report.ts";
import { nameOf, notes, rangeOf, verdictText } from "../pages/comparison.ts";
import { foreignLines } from "../pages/foreign-lines.ts";
import { footnotes, titleLine } from "../pages/summary.ts";
import type { Line } from "../text/line.ts";
import type { Ended, Output, OutputFile } from "./outputs.ts";

const MOST_COMPARED = 15;

/** What people read first, in Markdown: how good each model is, what changed, and why runs failed. */
export const summaryOutput = (file: OutputFile): Output => ({
  add: (ended) => file.write(`${summaryMarkdown(ended)}\n`),
  end: () => file.close(),
});

function summaryMarkdown(ended: Ended): string {
  const { record, stats, report } = ended;
  const [, ...ending] = titleLine(record, stats);
  const blocks = [
    `## ${escapeMarkdown(record.name)}`,
    escapeMarkdown(textOf(ending).trimStart()),
    modelTable(stats, report),
    footnotes(stats, report, Number.POSITIVE_INFINITY, [ACCURACY])
      .map(textOf)
      .map(escapeMarkdown)
      .join("  \n"),
    foreignLines(record, Number.POSITIVE_INFINITY).map(textOf).join("  \n"),
    listOf(
      report.comparisons
        .slice(0, MOST_COMPARED)
        .map((each) => comparisonSentence(each.first, each.second, each)),
    ),
    ...againstBlocks(ended),
    failureTable(ended),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

const ACCURACY = "Accuracy: correct / (scored + the model's own failures), and its 95% interval.";

function modelTable(stats: Ended["stats"], { models }: EvaluationReport): string {
  const rows = (Object.entries(stats) as [ModelKey, ModelStats][]).map(([key, each]) => [
    key,
    formatEstimate(models[key]?.accuracy ?? null),
    `${each.correct}/${each.scored}`,
    String(each.failed),
    `${formatCount(each.inputTokens)}/${formatCount(each.outputTokens)}`,
    formatCost(each.costUsd, each.runsWithUnknownCost),
    each.p50RuntimeSeconds === null ? "–" : formatDuration(each.p50RuntimeSeconds),
  ]);
  return tableOf(["model", "accuracy", "correct", "failed", "tokens", "cost", "p50"], rows);
}

function againstBlocks({ against }: Ended): string[] {
  if (against === null || against.comparisons.length === 0) return [];
  const rows = against.comparisons.map((each) => [
    nameOf(each),
    String(each.pairedProblems),
    each.difference === null ? "–" : formatPoints(each.difference),
    rangeOf(each),
    formatP(each.adjustedP),
    verdictText(each),
  ]);
  return [
    `### Against ${escapeMarkdown(against.baseline)}`,
    tableOf(["model", "problems", "difference", "95%", "p", "verdict"], rows),
    notes(against.comparisons).map(escapeMarkdown).join("  \n"),
  ];
}

function failureTable({ failures }: Ended): string {
  const rows = failures
    .groups()
    .map(({ count, cause, fault, model, example }) => [String(count), cause, fault, model, example]);
  return rows.length === 0 ? "" : tableOf(["failures", "cause", "fault", "model", "for example"], rows);
}

const textOf = (line: Line): string => line.map(([text]) => text).join("");

const listOf = (items: readonly string[]): string =>
  items.map((item) => `- ${escapeMarkdown(item)}`).join("\n");

function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(" | ")} |`;
  return [line(titles), `| ${titles.map(() => "---").join(" | ")} |`, ...rows.map(line)].join("\n");
}

/** What a model or a user wrote stays text: no markup, no table of its own, nobody is mentioned. */
const escapeMarkdown = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\\`*_[\]|#~]/g, (found) => `\\${found}`)
    .replaceAll(/[&<@]/g, (found) => `&#${found.charCodeAt(0)};`);
