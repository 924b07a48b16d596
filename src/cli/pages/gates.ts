import type { GateResult } from "../../statistics/gates/decision.ts";
import { type Line, type Span, wrapLine } from "../text/screen.ts";

/** Lists every gate with its decision; what decides nothing yet says what would. */
export function gateLines(gates: readonly GateResult[], width: number): Line[] {
  if (gates.length === 0) return [];
  return [[["Gates", "bold"]], ...gates.flatMap((gate) => decidedLines(gate, width))];
}

/** Lists the gates that were not passed, each on one line. */
export const openGateLines = (gates: readonly GateResult[]): Line[] =>
  gates.filter(({ outcome }) => outcome !== "passed").flatMap((gate) => decidedLines(gate, LOG_WIDTH));

const LOG_WIDTH = Number.POSITIVE_INFINITY;
const INDENT = "  ";

function decidedLines(gate: GateResult, width: number): Line[] {
  const [first = [], ...more] = wrapLine(gateWords(gate), width - INDENT.length);
  return [[MARKS[gate.outcome], ...first], ...more.map((line): Line => [[INDENT], ...line])];
}

const MARKS = {
  passed: ["✓ ", "green"],
  failed: ["✗ ", "red"],
  undecided: ["? ", "yellow"],
} as const satisfies Record<GateResult["outcome"], Span>;

/** Returns the decision in words: `scripted/shaky: cannot tell: accuracy 90% …`. */
export const gateWords = ({ model, outcome, says }: GateResult): string =>
  `${model}: ${outcome === "undecided" ? "cannot tell: " : ""}${says}`;
