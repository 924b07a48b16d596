import { useMemo } from "react";
import { formatCount, formatDuration } from "../../domain/format.ts";
import type { TranscriptStep } from "../../domain/run/log-entry.ts";
import { keyOf, plainText, showJson } from "../data/display.ts";
import { LongText } from "../parts/text.tsx";
import { newMessages, type ShownMessage, shownMessage } from "./new-messages.ts";

/** Shows everything that happened in a run, in order. */
export function Transcript({ steps }: { readonly steps: readonly TranscriptStep[] }) {
  const messages = useMemo(() => newMessages(steps), [steps]);
  if (steps.length === 0) return <p className="quiet">Nothing was recorded.</p>;
  return (
    <ol className="transcript">
      {steps.map((step, index) => (
        <li key={index}>
          <Step step={step} messages={messages.get(step) ?? []} />
        </li>
      ))}
    </ol>
  );
}

interface StepProps<Step> {
  readonly step: Step;
  readonly messages: readonly ShownMessage[];
}

function Step({ step, messages }: StepProps<TranscriptStep>) {
  const at = <span className="quiet small">at {formatDuration(step.atMs / 1_000)}</span>;
  switch (step.kind) {
    case "model_call":
      return <ModelCall step={step} messages={messages} />;
    case "tool_call":
      return (
        <details className="step">
          <summary>
            <span>{plainText(`calls ${step.tool}`)}</span>
            {at}
          </summary>
          <LongText text={showJson(step.input)} label={`Input of ${step.tool}`} />
        </details>
      );
    case "tool_result":
      return (
        <details className={step.isError ? "step error" : "step"}>
          <summary>
            <span>{plainText(`${step.tool} ${step.isError ? "failed" : "answers"}`)}</span>
            {at}
          </summary>
          <LongText text={showJson(step.output)} label={`Output of ${step.tool}`} />
        </details>
      );
    case "note":
      return (
        <div className="step">
          <div className="head">
            <span>{plainText(step.text)}</span>
            {at}
          </div>
          {step.data === undefined ? null : <LongText text={showJson(step.data)} />}
        </div>
      );
  }
}

type ModelCallStep = Extract<TranscriptStep, { kind: "model_call" }>;

function ModelCall({ step, messages }: StepProps<ModelCallStep>) {
  const { usage, latencyMs, firstTokenMs, retries, error, reply } = step;
  const facts = [
    formatDuration(latencyMs / 1_000),
    ...(firstTokenMs === undefined ? [] : [`first token after ${formatDuration(firstTokenMs / 1_000)}`]),
    usage === null
      ? "tokens unknown"
      : `${formatCount(usage.inputTokens)} in, ${formatCount(usage.outputTokens)} out`,
    ...(retries > 0 ? [`${retries} retries`] : []),
  ];
  return (
    <div className={error === null ? "step" : "step error"}>
      <div className="head">
        <strong>{plainText(keyOf(step))}</strong>
        <span className="quiet small">{facts.join(" · ")}</span>
      </div>
      {messages.map((message, index) => (
        <MessageText
          key={index}
          message={message}
          isFolded={message.role === "system" || message.role === "tool"}
        />
      ))}
      {reply === null ? null : (
        <MessageText message={{ ...shownMessage(reply), role: "reply" }} isFolded={false} />
      )}
      {error === null ? null : <p className="wrong">{plainText(error)}</p>}
    </div>
  );
}

function MessageText({ message, isFolded }: { readonly message: ShownMessage; readonly isFolded: boolean }) {
  const { role, text, calls } = message;
  return (
    <details className="message" open={!isFolded}>
      <summary className="small quiet">
        {plainText(isFolded ? `${role}: ${text.slice(0, 100)}` : role)}
      </summary>
      {text === "" ? null : <LongText text={text} label={role} />}
      {calls.map((call, index) => (
        <div key={index} className="small">
          wants <code>{plainText(call.name)}</code> with{" "}
          <code>{plainText(showJson(call.input)).slice(0, 500)}</code>
        </div>
      ))}
    </details>
  );
}
