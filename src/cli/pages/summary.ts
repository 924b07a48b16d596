import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { formatCost, formatCount, formatDuration, formatTime, plural } from "../../domain/format.ts";
import type { ModelKey } from "../../domain/model.ts";
import { adviceOn, FAILURE_CAUSES, type FailureCause, faultOf } from "../../domain/run/failure.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { type EvaluationReport, FEW_PROBLEMS } from "../../statistics/report.ts";
import { BLANK, type Line, wrapLine } from "../text/screen.ts";
import { layTable } from "../text/table.ts";
import { comparisonLines } from "./comparison.ts";
import { statusSpan } from "./document.ts";
import { type FailureGroups, failureLines } from "./failures.ts";
import {
  flakyLines,
  MORE_COLUMNS,
  modelTable,
  ownColumnsOf,
  sliceTable,
  statsColumnsOf,
} from "./stats-table.ts";
import { type WrongAnswers, wrongAnswerLines } from "./wrong-answers.ts";

/** Shows an evaluation with its origin, every accuracy, comparison and flaky problem, and the failures. */
export function evaluationPage(evaluation: ShownEvaluation, width: number): Line[] {
  const { record, stats, report, failures, wrong } = evaluation;
  return inBlocks([
    [titleLine(record, stats), ...factLines(record)],
    uncheckedLines(record, width),
    nothingScored(stats, width),
    wrong.doubtLines(Object.values(stats), width),
    layTable(modelTable(statsColumnsOf(Object.values(stats)), evaluation), width),
    layTable(modelTable(MORE_COLUMNS, evaluation), width),
    layTable(modelTable(ownColumnsOf(evaluation), evaluation), width),
    layTable(sliceTable(report), width),
    footnotes(stats, report, width, [
      ACCURACY_NOTE,
      '"of scored" counts only checked answers; "of all" counts every run, whoever is to blame for its failure.',
      "Per correct: cost per correct answer.",
    ]),
    foreignLines(record, width),
    comparisonLines(report, width, Number.POSITIVE_INFINITY),
    flakyLines(report, width),
    wrongAnswerLines(wrong, width),
    failureLines(failures.groups(), width, Number.POSITIVE_INFINITY),
  ]);
}

function factLines(record: EvaluationRecord): Line[] {
  const { models, problemCount, trials, file, against } = record;
  const size = [plural(models.length, "model"), plural(problemCount, "problem"), plural(trials, "trial")];
  return [
    [[`${record.id}  `, "dim"], statusSpan(record)],
    [[`${formatTime(record.startedAt)} · ${size.join(" × ")} · ${file ?? "started by a script"}`, "dim"]],
    ...(against === undefined
      ? []
      : [
          [
            [`${against.variant}: the file at ${against.ref} (${against.commit.slice(0, 7)})`, "dim"],
          ] satisfies Line,
        ]),
    ...provenanceLines(record),
  ];
}

const SHORT = 7;

function provenanceLines({ provenance, fingerprint }: EvaluationRecord): Line[] {
  if (provenance === undefined) return [];
  const { commit, isDirty, version, problems } = provenance;
  const facts = [
    ...(commit === null ? [] : [`commit ${commit.slice(0, SHORT)}${isDirty ? " with changes" : ""}`]),
    ...(fingerprint === null ? [] : [`code ${fingerprint.slice(0, SHORT)}`]),
    `problems ${problems.slice(0, SHORT)}`,
    ...(version === null ? [] : [`agent-evaluator ${version}`]),
  ];
  return [[[facts.join(" · "), "dim"]]];
}

interface ShownEvaluation {
  readonly record: EvaluationRecord;
  readonly stats: Readonly<Record<ModelKey, ModelStats>>;
  readonly report: EvaluationReport;
  readonly failures: FailureGroups;
  readonly wrong: WrongAnswers;
  readonly resumed?: ResumedWork | null;
}

/** Shows the results when an evaluation has ended. */
export function summaryLines(evaluation: ShownEvaluation, width: number): Line[] {
  const { record, stats, report, failures, wrong, resumed } = evaluation;
  const compared = comparisonLines(report, width);
  // Who compares two versions of a file asks that first.
  const isAsked = record.against !== undefined;
  return inBlocks([
    [titleLine(record, stats, resumed)],
    uncheckedLines(record, width),
    nothingScored(stats, width),
    wrong.doubtLines(Object.values(stats), width),
    isAsked ? compared : [],
    layTable(modelTable(statsColumnsOf(Object.values(stats)), evaluation), width),
    layTable(modelTable(ownColumnsOf(evaluation), evaluation), width),
    footnotes(stats, report, width, [ACCURACY_NOTE]),
    foreignLines(record, width),
    isAsked ? [] : compared,
    wrongAnswerLines(wrong, width),
    failureLines(failures.groups(), width),
  ]);
}

export const ACCURACY_NOTE =
  "Accuracy: correct / (scored + the model's own failures); 95% interval for problems like these.";

/** Puts a blank line between blocks; a block without lines leaves none behind. */
const inBlocks = (blocks: readonly (readonly Line[])[]): Line[] =>
  blocks
    .filter((block) => block.length > 0)
    .flatMap((block, at) => (at === 0 ? [...block] : [BLANK, ...block]));

/** Lists what a reader must know to trust the table; nothing that does not apply. */
export function footnotes(
  stats: Readonly<Record<ModelKey, ModelStats>>,
  report: EvaluationReport,
  width: number,
  accuracies: readonly string[],
): Line[] {
  const all = Object.entries(stats) as [ModelKey, ModelStats][];
  const scripted = all.filter(([key]) => key.startsWith("scripted/"));
  const notes = [
    ...accuracies,
    ...(report.isRough ? [`With fewer than ${FEW_PROBLEMS} problems, intervals are approximate.`] : []),
    ...(all.some(
      ([
        ,
        {
          failuresByFault: { code, infrastructure },
        },
      ]) => code + infrastructure > 0,
    )
      ? ["Lost: failed because of your code or the infrastructure; they do not count for the accuracy."]
      : []),
    ...(all.some(([, each]) => each.unscored > 0)
      ? ["Answers that the checker left undecided count only for all runs."]
      : []),
    ...(all.some(([, each]) => each.costUsd !== null && each.runsWithUnknownCost > 0)
      ? ["≥: some runs have no known price and are not in the sum."]
      : []),
    ...(all.some(([, each]) => each.runsWithUnknownUsage > 0 && each.finished > each.failed)
      ? ["Some runs reported no tokens; they are not in the sum."]
      : []),
    ...judging(all.map(([, each]) => each)),
  ];
  const lines = [
    ...notes.flatMap((note) => wrapLine(note, width, "dim")),
    ...doubts(report).flatMap((note) => wrapLine(note, width, "yellow")),
  ];
  if (scripted.length === 0) return lines;
  const which = scripted.length === all.length ? "These models are" : "Models named scripted/… are";
  return [
    ...lines,
    ...wrapLine(`${which} scripted: replies come from the evaluation file.`, width, "yellow"),
    ...wrapLine("The numbers show how the evaluator works, not how good a model is.", width, "yellow"),
  ];
}

function judging(all: readonly ModelStats[]): string[] {
  const sum = (pick: (stats: ModelStats) => number) => all.reduce((total, each) => total + pick(each), 0);
  const [input, output] = [sum((each) => each.judgeInputTokens), sum((each) => each.judgeOutputTokens)];
  if (input + output === 0) return [];
  const isKnown = all.some((each) => each.judgeCostUsd !== null);
  const costUsd = isKnown ? sum((each) => each.judgeCostUsd ?? 0) : null;
  const cost = formatCost(
    costUsd,
    sum((each) => each.runsWithUnknownJudgeCost),
  );
  return [
    `LLM judge: ${formatCount(input)} in / ${formatCount(output)} out tokens, ${cost} (not included above).`,
  ];
}

/** One sentence, however many pairs there are: the first shows what is meant. */
function doubts({ rankingDoubts: [doubt, ...others] }: EvaluationReport): string[] {
  if (doubt === undefined) return [];
  const more = others.length === 0 ? "" : `, and ${others.length} more pairs`;
  return [
    `${doubt.lostRuns} runs of ${doubt.ahead} and ${doubt.behind}${more} failed because of your code or the infrastructure; without those, their order could be different.`,
  ];
}

/** Reports that no run says anything about a model, why, and what to do: a table of dashes is easily overlooked. */
export function nothingScored(stats: Readonly<Record<ModelKey, ModelStats>>, width: number): Line[] {
  const cause = commonCause(Object.values<ModelStats>(stats));
  if (cause === null) return [];
  const blamed = faultOf(cause) === "code" ? "your code" : "infrastructure errors";
  const text = `No run could be scored: they failed because of ${blamed} (${cause}); the numbers say nothing about the models. What to do: ${adviceOn(cause)}.`;
  return wrapLine(text, width, "red");
}

/** Finds the most frequent cause that is not the model's; null when a run was scored, or failed by the model's fault. */
function commonCause(all: readonly ModelStats[]): FailureCause | null {
  const hasOthers = all.some(
    ({ finished, failuresByFault: { code, infrastructure, stopped } }) =>
      finished > code + infrastructure + stopped,
  );
  if (hasOthers) return null;
  const count = (cause: FailureCause) =>
    all.reduce((sum, { failuresByCause }) => sum + (failuresByCause[cause] ?? 0), 0);
  const [most] = NOT_THE_MODELS.filter((cause) => count(cause) > 0).sort((a, b) => count(b) - count(a));
  return most ?? null;
}

const NOT_THE_MODELS = FAILURE_CAUSES.filter((cause) => ["code", "infrastructure"].includes(faultOf(cause)));

/** The work of a resumed evaluation since its resume; the time from its first start means nothing to the user. */
export interface ResumedWork {
  readonly doneBefore: number;
  readonly tookSeconds: number;
}

/** Names the evaluation, how many runs are done, and how it ended. */
export function titleLine(
  record: EvaluationRecord,
  stats: Readonly<Record<ModelKey, ModelStats>>,
  resumed: ResumedWork | null = null,
): Line {
  const all = Object.values(stats);
  // A run that was stopped comes again on resume, so it is not done.
  const done = all.reduce((sum, each) => sum + each.finished - each.failuresByFault.stopped, 0);
  const planned = all.reduce((sum, each) => sum + each.planned, 0);
  const runs = done === planned ? plural(done, "run") : `${done} of ${plural(planned, "run")}`;
  const now = resumed === null ? null : nowDone(done, resumed);
  return [[record.name, "bold"], ["  "], ...ending(record, runs, now)];
}

const nowDone = (done: number, { doneBefore, tookSeconds }: ResumedWork): string =>
  `, ${done - doneBefore} of them now in ${formatDuration(tookSeconds)}`;

function ending({ status, startedAt, endedAt }: EvaluationRecord, runs: string, now: string | null): Line {
  const took = endedAt === null ? null : formatDuration(secondsBetween(startedAt, endedAt));
  const time = (word: string) => now ?? (took === null ? "" : ` ${word} ${took}`);
  switch (status) {
    case "finished":
      return [[`${runs} finished`], [time("in"), "dim"]];
    case "cancelled":
      return [["stopped", "yellow"], [` after ${runs}`], [time("and"), "dim"]];
    case "broken":
      return [["broke", "red"], [` after ${runs}`], [time("and"), "dim"]];
    case "running":
      return [[`${runs} so far`]];
  }
}

const secondsBetween = (startedAt: string, endedAt: string): number =>
  Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)) / 1_000;

/** Said aloud when a check was stopped: the numbers are then those of two checkers. */
export function uncheckedLines({ id, recheck }: EvaluationRecord, width: number): Line[] {
  const left = recheck?.unchecked ?? 0;
  if (left === 0) return [];
  const kept =
    left === 1
      ? "1 result still has its earlier verdict"
      : `${left} results still have their earlier verdicts`;
  const text = `The last check was stopped: ${kept}, so these numbers mix two checkers. To check the rest: check ${id}`;
  return wrapLine(text, width, "yellow");
}

/** Said aloud when the store held what the evaluation had not written: something can write there that must not. */
export function foreignLines({ foreignEntries = 0 }: EvaluationRecord, width: number): Line[] {
  if (foreignEntries === 0) return [];
  const found = foreignEntries === 1 ? "1 log entry was found" : `${foreignEntries} log entries were found`;
  const text =
    `${found} in the store that this evaluation did not write; the numbers above do not include ` +
    `${foreignEntries === 1 ? "it" : "them"}. Something else can write to the store, maybe an agent: ` +
    "read the transcripts before you trust these models' runs.";
  return wrapLine(text, width, "red");
}
