import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { formatCost, formatCount, formatDuration, formatTime } from "../../domain/format.ts";
import type { CapturedOutput, LogEntry } from "../../domain/run/log-entry.ts";
import { verdictOf } from "../../domain/run/verdict.ts";
import { plainText, showJson } from "../data/plain-text.ts";
import { bodyQuery } from "../data/queries.ts";
import { useSource } from "../data/source-context.tsx";
import { Crash, Loading } from "../parts/crash.tsx";
import { VerdictMark } from "../parts/marks.tsx";
import { LongText } from "../parts/text.tsx";
import { Transcript } from "./transcript.tsx";

/** One round of a run, whole. */
export function RunView({ entry }: { readonly entry: LogEntry }) {
  const body = useQuery(bodyQuery(useSource(), entry));
  return (
    <>
      <div className="bar title">
        <VerdictMark letter={verdictOf(entry)} />
        <h1>
          {plainText(`${entry.providerKey}/${entry.model} on ${entry.problemId}`)}
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
          <Answer entry={entry} whole={body.data?.result ?? null} />
        </section>
      </div>
      <section className="card" aria-labelledby="transcript">
        <h2 id="transcript">Transcript</h2>
        <Asked query={body}>
          {(loaded) =>
            loaded === null ? (
              <p className="quiet">
                This run left no transcript; it never started, or the report had no room for it.
              </p>
            ) : (
              <>
                <Transcript steps={loaded.transcript} />
                <OutputText title="stdout" output={loaded.stdout} />
                <OutputText title="stderr" output={loaded.stderr} />
              </>
            )
          }
        </Asked>
      </section>
    </>
  );
}

function Answer({ entry, whole }: { readonly entry: LogEntry; readonly whole: LogEntry["result"] }) {
  const { expected, failure, reason, score } = entry;
  const result = entry.result ?? whole;
  const isWrong = entry.correct === false && expected !== null;
  return (
    <>
      {failure === null ? null : (
        <p className="failed">
          <strong>{failure.cause}</strong> ({failure.fault === "model" ? "the model's" : failure.fault}):{" "}
          {plainText(failure.message)}
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
          <div className="small quiet">{isWrong ? "came, against what was expected" : "came"}</div>
          {isWrong ? (
            <DiffText expected={showJson(expected)} came={showJson(comparable(result, expected))} />
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

/** A result's `value` is what stands against a scalar. */
function comparable(result: LogEntry["result"], expected: LogEntry["expected"]): unknown {
  const isScalar = typeof expected !== "object";
  const hasValue = typeof result === "object" && result !== null && "value" in result;
  return isScalar && hasValue ? result.value : result;
}

function Facts({ entry }: { readonly entry: LogEntry }) {
  const { usage, attempts } = entry;
  const facts: readonly (readonly [string, string])[] = [
    ["ran for", formatDuration(entry.runtimeSeconds)],
    [
      "beside that",
      `${formatDuration(entry.startupSeconds)} to start, ${formatDuration(entry.waitSeconds)} waiting`,
    ],
    [
      "tokens",
      usage === null
        ? "unknown"
        : `${usage.inputTokens} in (${usage.cachedInputTokens} cached), ${usage.outputTokens} out (${usage.reasoningTokens} reasoning)`,
    ],
    ["cost", formatCost(entry.costUsd)],
    ["model calls", String(entry.turns)],
    ["started", formatTime(entry.startedAt)],
    ["run", entry.runId],
    ...(entry.tags.length === 0 ? [] : ([["tags", entry.tags.join(", ")]] as const)),
    ...(attempts.length < 2
      ? []
      : attempts.map(({ number, cause }) => [`attempt ${number}`, cause ?? "ended"] as const)),
  ];
  return (
    <dl className="facts small">
      {facts.map(([name, value]) => (
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

/** What was expected against what came: what is missing is struck out, what was added is underlined. */
function DiffText({ expected, came }: { readonly expected: string; readonly came: string }) {
  const isShort = expected.length <= LONGEST && came.length <= LONGEST;
  const query = useQuery({
    queryKey: ["diff", expected, came],
    queryFn: async () => (await import("diff")).diffWordsWithSpace(expected, came),
    enabled: isShort,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!isShort || query.data === undefined) return <LongText text={came} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the keys.
    <pre className="text" role="region" tabIndex={0} aria-label="Difference">
      {query.data.map(({ value, added, removed }, index) => {
        const text = plainText(value);
        if (added) return <ins key={index}>{text}</ins>;
        if (removed) return <del key={index}>{text}</del>;
        return <span key={index}>{text}</span>;
      })}
    </pre>
  );
}

/** What was asked for, once it is there; until then that it is on its way, or why it is not coming. */
export function Asked<Data>({
  query,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isError ? <Stale error={query.error} /> : null}
        {children(query.data)}
      </>
    );
  }
  if (query.isError) return <Crash error={query.error} />;
  return <Loading />;
}

function Stale({ error }: { readonly error: Error }) {
  return (
    <p className="notice small" role="status">
      The last update did not arrive ({error.message}); what is shown is from before, and another try is under
      way.
    </p>
  );
}

/** What a run printed, and how much of it was not kept. */
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
