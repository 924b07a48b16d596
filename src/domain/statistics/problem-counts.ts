import { FAILURE_CAUSES, FAULTS } from "../failure.ts";
import { VERDICT, type Verdict } from "../verdict.ts";
import type { Cluster } from "./cluster-sums.ts";

/** What became of the runs of one problem with one model. */
export type ProblemCounts = Readonly<Record<Ending, number>>;

/** The endings that statistics tell apart; a failed run is known by whose fault it was. */
export const ENDINGS = ["correct", "wrong", "unscored", "model", "infrastructure", "stopped"] as const;
export type Ending = (typeof ENDINGS)[number];

const ENDING_OF: ReadonlyMap<string, Ending> = new Map<string, Ending>([
  [VERDICT.correct, "correct"],
  [VERDICT.wrong, "wrong"],
  [VERDICT.unscored, "unscored"],
  ...FAILURE_CAUSES.map((cause) => [VERDICT[cause], FAULTS[cause]] as const),
]);

/** null for a run that has not ended, or a character of a newer release. */
export const endingOf = (verdict: Verdict | string): Ending | null => ENDING_OF.get(verdict) ?? null;

/** The three ways to count a problem's runs; the names are those of the accuracies in `ModelStats`. */
export const COUNTED = {
  accuracy: ({ correct, wrong, model }) => ({ hits: correct, size: correct + wrong + model }),
  accuracyOfScored: ({ correct, wrong }) => ({ hits: correct, size: correct + wrong }),
  accuracyOfAll: (counts) => ({
    hits: counts.correct,
    size: ENDINGS.reduce((sum, ending) => sum + counts[ending], 0),
  }),
} as const satisfies Record<string, (counts: ProblemCounts) => Cluster>;
