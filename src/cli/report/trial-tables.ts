import { plural } from "../../domain/show/format-count.ts";
import { formatEstimate } from "../../domain/show/format-interval.ts";
import { formatShare } from "../../domain/show/format-share.ts";
import type { EvaluationReport } from "../../domain/statistics/evaluation-report.ts";
import type { ModelReport } from "../../domain/statistics/model-report.ts";
import type { Line } from "../text/line.ts";
import { type Column, layTable } from "../text/table.ts";
import { cutText } from "../text/text-width.ts";

const MOST_FLAKY = 10;

/** How likely one of k trials is right, and all of them: for two trials and for as many as there are. */
export function passTable({ models }: EvaluationReport, width: number): Line[] {
  const most = Math.max(0, ...Object.values(models).map(({ passes }) => passes.length));
  if (most < 2) return [];
  const chosen = [...new Set([2, most])];
  const columns: Column[] = chosen.flatMap((k) => [right(`pass@${k}`), right(`pass^${k}`)]);
  const rows = Object.entries(models).map(([key, { passes }]) => [
    [key] as const,
    ...chosen.flatMap((k) => {
      const pass = passes[k - 1];
      return [[formatShare(pass?.passAtK ?? null)] as const, [formatShare(pass?.passHatK ?? null)] as const];
    }),
  ]);
  return layTable([{ title: "model" }, ...columns], rows, width);
}

/** The problems that a model gets right now and then. */
export function flakyLines({ models }: EvaluationReport, width: number): Line[] {
  const flaky = Object.entries(models).filter(([, report]) => report.flaky.length > 0);
  if (flaky.length === 0) return [];
  return [
    [
      ["Flaky", "bold"],
      ["  neither always right nor always wrong", "dim"],
    ],
    ...flaky.map(
      ([key, report]): Line => [[`${key}  `], [cutText(nameFlaky(report), width - key.length - 2)]],
    ),
  ];
}

function nameFlaky({ flaky }: ModelReport): string {
  const named = flaky
    .slice(0, MOST_FLAKY)
    .map(({ problemId, correct, runs }) => `${problemId} ${correct}/${runs}`);
  const left = flaky.length - named.length;
  return `${plural(flaky.length, "problem")}: ${named.join(", ")}${left > 0 ? `, … ${left} more` : ""}`;
}

/** The accuracy by tag. */
export function sliceTable({ models }: EvaluationReport, width: number): Line[] {
  const rows = Object.entries(models).flatMap(([key, { slices }]) =>
    slices.map(({ tag, problems, accuracy }) => [
      [key] as const,
      [tag] as const,
      [String(problems)] as const,
      [formatEstimate(accuracy)] as const,
    ]),
  );
  if (rows.length === 0) return [];
  return layTable([{ title: "model" }, { title: "tag" }, right("problems"), right("accuracy")], rows, width);
}

const right = (title: string): Column => ({ title, align: "right" });
