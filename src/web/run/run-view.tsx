import { useQuery } from "@tanstack/react-query";
import { formatCost, formatCount, formatDuration, formatTime } from "../../domain/format.ts";
import type { CapturedOutput, LogEntry } from "../../domain/run/log-entry.ts";
import { verdictOf } from "../../domain/run/verdict.ts";
import { keyOf, plainText, showJson } from "../data/display.ts";
import { bodyQuery } from "../data/queries.ts";
import { useSource } from "../data/source.ts";
import { ShowQuery } from "../parts/crash.tsx";
import { VerdictMark } from "../parts/marks.tsx";
import { LongText } from "../parts/text.tsx";
import { Transcript } from "./transcript.tsx";

/** Shows one round of a run. */
export function RunDetails({ entry }: { readonly entry: LogEntry }) {
  const body = useQuery(bodyQuery(useSource(), entry));
  return (
    <>
      <div className="bar title">
        <VerdictMark letter={verdictOf(entry)} />
        <h1>
          {plainText(`${keyOf(entry)} on ${entry.problemId}`)}
          {entry.trial > 1 ? `, trial ${entry.trial}` : ""}
        </h1>
      </div>
      <div className="halves">
        <section className="card" aria-labelledby="problem">
          <h2 id="problem">Problem</h2>
          <LongText text={showJson(entry.problem)} label="Problem" />
          <Facts entry={entry} />
        </section>
        <section className="card" aria-labelledby="answer">
          <h2 id="answer">Answer</h2>
          <AnswerDetails entry={entry} whole={body.data?.result ?? null} />
        </section>
      </div>
      <section className="card" aria-labelledby="transcript">
        <h2 id="transcript">Transcript</h2>
        <ShowQuery query={body}>
          {(loaded) =>
            loaded === null ? (
              <p className="quiet">
                This run has no transcript: it never started, or the report had no room for it.
              </p>
            ) : (
              <>
                <Transcript steps={loaded.transcript} />
                <OutputText title="stdout" output={loaded.stdout} />
                <OutputText title="stderr" output={loaded.stderr} />
              </>
            )
          }
        </ShowQuery>
      </section>
    </>
  );
}

interface AnswerProps {
  readonly entry: LogEntry;
  /** The result where the entry has no room for it. */
  readonly whole: LogEntry["result"];
}

/** Shows what a run answered beside what was expected, and why it is right, wrong or failed. */
export function AnswerDetails({ entry, whole }: AnswerProps) {
  const { expected, failure, reason, score } = entry;
  const result = entry.result ?? whole;
  const isWrong = entry.correct === false && expected !== null;
  return (
    <>
      {failure === null ? null : (
        <p className="failed">
          <strong>{failure.cause}</strong> (blamed on: {failure.fault}): {plainText(failure.message)}
        </p>
      )}
      {expected === null ? null : (
        <>
          <div className="small quiet">expected</div>
          <LongText text={showJson(expected)} label="Expected" />
        </>
      )}
      {result === null ? null : (
        <>
          <div className="small quiet">{isWrong ? "answered, compared with expected" : "answered"}</div>
          {isWrong ? (
            <DiffText expected={showJson(expected)} answered={showJson(comparable(result, expected))} />
          ) : (
            <LongText text={showJson(result)} label="Result" />
          )}
        </>
      )}
      {reason === null ? null : <p>{plainText(reason)}</p>}
      {score === null ? null : <p className="quiet">score {score}</p>}
    </>
  );
}

/** Picks a result's `value` where the expected value is a scalar. */
function comparable(result: LogEntry["result"], expected: LogEntry["expected"]): unknown {
  const isScalar = typeof expected !== "object";
  const hasValue = typeof result === "object" && result !== null && "value" in result;
  return isScalar && hasValue ? result.value : result;
}

function Facts({ entry }: { readonly entry: LogEntry }) {
  const { usage, attempts, tags, startupSeconds, waitSeconds } = entry;
  const facts: Record<string, string> = {
    runtime: formatDuration(entry.runtimeSeconds),
    "in addition": `${formatDuration(startupSeconds)} to start, ${formatDuration(waitSeconds)} waiting`,
    tokens:
      usage === null
        ? "unknown"
        : `${usage.inputTokens} in (${usage.cachedInputTokens} cached), ${usage.outputTokens} out (${usage.reasoningTokens} reasoning)`,
    cost: formatCost(entry.costUsd),
    "model calls": String(entry.turns),
    started: formatTime(entry.startedAt),
    run: entry.runId,
  };
  if (tags.length > 0) facts.tags = tags.join(", ");
  for (const { number, cause } of attempts.length > 1 ? attempts : [])
    facts[`attempt ${number}`] = cause ?? "ended";
  return (
    <dl className="facts small">
      {Object.entries(facts).map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}>
          <dt>{name}</dt>
          <dd>{plainText(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Longer texts take too long to compare. */
const LONGEST = 20_000;

/** Compares the answer with the expected value: missing text is struck out, added text is underlined. */
function DiffText({ expected, answered }: { readonly expected: string; readonly answered: string }) {
  const isShort = expected.length <= LONGEST && answered.length <= LONGEST;
  const query = useQuery({
    queryKey: ["diff", expected, answered],
    queryFn: async () => (await import("diff")).diffWordsWithSpace(expected, answered),
    enabled: isShort,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!isShort || query.data === undefined) return <LongText text={answered} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the keys.
    <pre role="region" tabIndex={0} aria-label="Difference">
      {query.data.map(({ value, added, removed }, index) => {
        const text = plainText(value);
        if (added) return <ins key={index}>{text}</ins>;
        if (removed) return <del key={index}>{text}</del>;
        return <span key={index}>{text}</span>;
      })}
    </pre>
  );
}

/** Shows what a run printed, and how much of it was not kept. */
function OutputText({ title, output }: { readonly title: string; readonly output: CapturedOutput }) {
  if (output.bytes === 0) return null;
  return (
    <details className="step">
      <summary>
        {title} <span className="quiet small">{formatCount(output.bytes)} bytes</span>
      </summary>
      <LongText text={output.head} label={title} />
      {output.droppedBytes > 0 ? (
        <p className="quiet small">{formatCount(output.droppedBytes)} bytes were not kept</p>
      ) : null}
      {output.tail === "" ? null : <LongText text={output.tail} label={`${title}, its end`} />}
    </details>
  );
}
