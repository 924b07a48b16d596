import { preview } from "../../domain/format.ts";
import { modelKey } from "../../domain/model.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import type { GateResult } from "../../statistics/gates/decision.ts";
import { gateWords } from "../pages/gates.ts";
import type { FinishedEvaluation } from "../run/fold-entries.ts";

/**
 * Writes a suite per model and a case per run, as build servers read them: a wrong answer and the model's own failures are
 * failures, those of the code and the infrastructure are errors, and what has no verdict is skipped. Gates are a suite too.
 */
export async function* junitSuites(finished: FinishedEvaluation): AsyncGenerator<string> {
  const { record, stats, reader } = finished;
  for (const key of record.models.map(modelKey)) {
    const counts = stats[key];
    if (counts === undefined) continue;
    const name = `${record.name} ${key}`;
    const suite = { name, ...suiteCounts(counts), timestamp: record.startedAt };
    yield `  <testsuite${attributes(suite)}>\n`;
    for await (const entry of reader.entries(record.id, { model: key })) yield testCase(entry, name);
    yield "  </testsuite>\n";
  }
  yield gateSuite(finished);
}

/** A gate that cannot tell is skipped, as a run without a verdict is. */
function gateSuite({ record, gates }: FinishedEvaluation): string {
  if (gates.length === 0) return "";
  const name = `${record.name} gates`;
  const count = (outcome: GateResult["outcome"]) => gates.filter((gate) => gate.outcome === outcome).length;
  const suite = {
    name,
    ...{ tests: gates.length, failures: count("failed"), errors: 0, skipped: count("undecided"), time: 0 },
    timestamp: record.startedAt,
  };
  const cases = gates.map((gate) => {
    const about = attributes({
      name: [gate.gate, gate.name ?? [], gate.model].flat().join(" "),
      classname: name,
    });
    const message = attributes({ message: gateWords(gate) });
    const outcome = {
      passed: "",
      failed: `<failure${attributes({ type: "gate" })}${message}/>`,
      undecided: `<skipped${message}/>`,
    }[gate.outcome];
    return `    <testcase${about}>${outcome}</testcase>\n`;
  });
  return `  <testsuite${attributes(suite)}>\n${cases.join("")}  </testsuite>\n`;
}

const suiteCounts = (counts: ModelStats) => ({
  tests: counts.finished,
  failures: counts.wrong + counts.failuresByFault.model,
  errors: counts.failuresByFault.code + counts.failuresByFault.infrastructure,
  skipped: counts.unscored + counts.failuresByFault.stopped,
  time: counts.totalRuntimeSeconds,
});

function testCase(entry: LogEntry, suite: string): string {
  const name = entry.trial === 1 ? entry.problemId : `${entry.problemId} (trial ${entry.trial})`;
  const about = attributes({ name, classname: suite, time: entry.runtimeSeconds });
  const outcome = outcomeOf(entry);
  return outcome === "" ? `    <testcase${about}/>\n` : `    <testcase${about}>${outcome}</testcase>\n`;
}

function outcomeOf({ failure, correct, reason, result, expected }: LogEntry): string {
  if (failure !== null) {
    const element = ELEMENTS[failure.fault];
    return `<${element}${attributes({ type: failure.cause, message: failure.message })}/>`;
  }
  if (correct === null) return `<skipped${attributes({ message: reason ?? "the checker was undecided" })}/>`;
  if (correct) return "";
  const message =
    reason ?? `got ${preview(result)}${expected === null ? "" : `, expected ${preview(expected)}`}`;
  return `<failure${attributes({ type: "wrong", message })}/>`;
}

const ELEMENTS = { model: "failure", code: "error", infrastructure: "error", stopped: "skipped" } as const;

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join("");

const escapeXml = (text: string): string =>
  text.replaceAll(FORBIDDEN, "\ufffd").replaceAll(/[<>&"'\n\r\t]/g, (found) => `&#${found.charCodeAt(0)};`);

// What XML 1.0 cannot hold, not even spelled out.
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
