import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { plural } from "../../domain/format.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { BLANK, type Line, lineWidth, shellWord } from "../text/screen.ts";
import { layRows } from "../text/table.ts";
import type { FailureGroups } from "./failures.ts";
import type { WrongAnswers } from "./wrong-answers.ts";

interface ShownEvaluation {
  readonly record: EvaluationRecord;
  readonly stats: Readonly<Record<ModelKey, ModelStats>>;
  readonly failures: FailureGroups;
  readonly wrong: WrongAnswers;
}

/** Makes a command line that works for this user, e.g. with `--store`. */
type CommandFor = (words: string) => string;

/** Suggests where to look next, as commands that can be copied as they are; with a description where there is room. */
export function nextLines(evaluation: ShownEvaluation, command: CommandFor, width: number): Line[] {
  const steps = nextSteps(evaluation, command).map(({ words, what }): Line[] => [
    [[words, "cyan"]],
    [[what, "dim"]],
  ]);
  const described = layRows(steps);
  const hasRoom = described.every((line) => lineWidth(line) <= width);
  return [
    BLANK,
    [["Next", "bold"]],
    ...(hasRoom ? described : layRows(steps.map((step) => step.slice(0, 1)))),
  ];
}

interface Step {
  readonly words: string;
  readonly what: string;
}

export function resumeStep(record: EvaluationRecord, command: CommandFor): Step {
  const file = record.file === null ? "" : `${shellWord(record.file)} `;
  return { words: command(`run ${file}--resume ${record.id}`), what: "resume it" };
}

function nextSteps({ record, stats, failures, wrong }: ShownEvaluation, command: CommandFor): Step[] {
  const resume = resumeStep(record, command);
  // With the budget as it is, it would stop again at once.
  const retry = hasSilentProvider(stats) ? " --retry-failed" : "";
  const isSpent = failures.groups().some(({ cause }) => cause === "budget");
  const budget = isSpent ? largerBudget(record, stats) : "";
  const look = failures.worthALook();
  const failed = { words: command(`show ${record.id} --failed`), what: "every failure" };
  const all = { words: command(`show ${record.id} --logs`), what: "every run" };
  return [
    ...(record.status === "finished" ? [] : [{ ...resume, words: `${resume.words}${retry}${budget}` }]),
    look?.why === "failed" ? failed : all,
    ...(wrong.count > wrong.first().length
      ? [{ words: command(`show ${record.id} --wrong`), what: "every wrong answer" }]
      : []),
    ...(look === null
      ? []
      : [{ words: command(`show ${record.id} --run ${look.runId.slice(0, 8)}`), what: LOOKS[look.why] }]),
  ];
}

/** Finds that an evaluation was stopped because a provider refused every run. */
export const hasSilentProvider = (stats: Readonly<Record<ModelKey, ModelStats>>): boolean =>
  Object.values<ModelStats>(stats).some(
    ({ scored, unscored, failuresByCause: { provider_error: refused = 0, cancelled = 0 } }) =>
      scored + unscored === 0 && refused > 0 && cancelled > 0,
  );

const LOOKS = { failed: "one failure, step by step", wrong: "a wrong answer, step by step" } as const;

/** Returns the flags that a resume needs after its budget was spent, to be filled in; minutes start anew by themselves. */
function largerBudget({ budget }: EvaluationRecord, stats: Readonly<Record<ModelKey, ModelStats>>): string {
  const all = Object.values<ModelStats>(stats);
  const limits = [
    { flag: "--budget-usd", limit: budget?.usd, used: sum(all.map(usdOf)) },
    { flag: "--budget-tokens", limit: budget?.tokens, used: sum(all.map(tokensOf)) },
  ].flatMap(({ limit, ...rest }) => (limit === undefined ? [] : [{ ...rest, limit }]));
  const spent = limits.filter(({ limit, used }) => used >= limit);
  // Runs of earlier rounds were paid for too, but the stats no longer hold them.
  const isKnown = spent.length > 0 || budget?.minutes !== undefined;
  return (isKnown ? spent : limits)
    .map(({ flag, limit, used }) => ` ${flag} <more than ${toPlain(Math.max(limit, used))}>`)
    .join("");
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const usdOf = ({ costUsd, judgeCostUsd }: ModelStats): number => (costUsd ?? 0) + (judgeCostUsd ?? 0);

const tokensOf = (stats: ModelStats): number =>
  stats.inputTokens + stats.outputTokens + stats.judgeInputTokens + stats.judgeOutputTokens;

/** Formats an amount as a flag takes it: without an exponent and without rounding errors. */
const toPlain = (amount: number): string => amount.toFixed(9).replace(/\.?0+$/, "");

interface Growth {
  readonly from: EvaluationId;
  readonly id: EvaluationId;
  readonly keptRuns: number;
  readonly newRuns: number;
}

/** Announces an evaluation that grows: how many runs are kept, how many are new, and its new id. */
export const growthLine = ({ from, id, keptRuns, newRuns }: Growth): Line => [
  ["+ ", "cyan"],
  [`${plural(keptRuns, "run")} of ${from} ${keptRuns === 1 ? "is" : "are"} kept, ${newRuns} `],
  [`${newRuns === 1 ? "is" : "are"} new; together they are `],
  [id, "bold"],
];
