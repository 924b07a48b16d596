import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import { BLANK, type Line } from "../text/line.ts";
import { shellWord } from "../text/shell-word.ts";
import { padEnd, textWidth } from "../text/text-width.ts";
import type { FailureGroups } from "./failure-groups.ts";
import { largerBudget } from "./larger-budget.ts";

export interface NextInput {
  readonly record: EvaluationRecord;
  readonly stats: Readonly<Record<ModelKey, ModelStats>>;
  readonly failures: FailureGroups;
  readonly width: number;
  /** A command line that works for this user, e.g. with `--store`. */
  readonly command: (words: string) => string;
}

/** Where to look next, as commands that can be copied as they are; what they do is said when there is room. */
export function nextLines(input: NextInput): Line[] {
  const steps = nextSteps(input);
  const commandWidth = Math.max(...steps.map(({ words }) => textWidth(words)));
  const whatWidth = Math.max(...steps.map(({ what }) => textWidth(what)));
  const hasRoom = commandWidth + 2 + whatWidth <= input.width;
  return [
    BLANK,
    [["Next", "bold"]],
    ...steps.map(({ words, what }): Line => {
      if (!hasRoom) return [[words, "cyan"]];
      return [
        [padEnd(words, commandWidth), "cyan"],
        [`  ${what}`, "dim"],
      ];
    }),
  ];
}

interface Step {
  readonly words: string;
  readonly what: string;
}

export function resumeStep(record: EvaluationRecord, command: NextInput["command"]): Step {
  const file = record.file === null ? "" : `${shellWord(record.file)} `;
  return { words: command(`run ${file}--resume ${record.id}`), what: "goes on where it stopped" };
}

/** With the budget as it is, it would stop again at once. */
function stepOn({ record, stats, failures, command }: NextInput): Step {
  const step = resumeStep(record, command);
  const isSpent = failures.groups().some(({ cause }) => cause === "budget");
  return isSpent ? { ...step, words: `${step.words}${largerBudget(record, stats)}` } : step;
}

function nextSteps(input: NextInput): Step[] {
  const { record, failures, command } = input;
  const look = failures.worthALook();
  const failed = { words: command(`show ${record.id} --failed`), what: "every failure" };
  const all = { words: command(`show ${record.id} --logs`), what: "every run" };
  return [
    ...(record.status === "finished" ? [] : [stepOn(input)]),
    look?.why === "failed" ? failed : all,
    ...(look === null
      ? []
      : [{ words: command(`show ${record.id} --run ${look.runId.slice(0, 8)}`), what: LOOKS[look.why] }]),
  ];
}

const LOOKS = { failed: "one failure, step by step", wrong: "a wrong answer, step by step" } as const;
