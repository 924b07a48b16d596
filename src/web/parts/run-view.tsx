import { useQuery } from "@tanstack/react-query";
import type { LogEntry } from "../../domain/log-entry.ts";
import { formatCost } from "../../domain/show/format-cost.ts";
import { formatDuration } from "../../domain/show/format-duration.ts";
import { formatTime } from "../../domain/show/format-time.ts";
import { verdictOf } from "../../domain/verdict.ts";
import { bodyQuery } from "../data/body-query.ts";
import { plainText, showJson } from "../data/plain-text.ts";
import { useSource } from "../data/source-context.tsx";
import { Asked } from "./asked.tsx";
import { DiffText } from "./diff-text.tsx";
import { LongText } from "./long-text.tsx";
import { OutputText } from "./output-text.tsx";
import { Transcript } from "./transcript.tsx";
import { VerdictMark } from "./verdict-mark.tsx";

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
