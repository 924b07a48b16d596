import { parseJson } from "../domain/parse-json.ts";
import type { ChatProvider, ChatReply, ChatRequest, ToolSpec } from "../providers/contract.ts";

export interface Vote {
  readonly correct: boolean;
  readonly score: number;
  readonly reason: string;
}

/** A judge that does not use the tool is asked once more. */
const MAX_ASKS = 2;

const VERDICT: ToolSpec = {
  name: "verdict",
  description: "Delivers the verdict: first the reason, then whether the answer is right.",
  inputSchema: {
    type: "object",
    properties: {
      reason: { type: "string", description: "Why, in one or two sentences." },
      correct: { type: "boolean" },
      score: { type: "number", description: "How good the answer is, from 0 to 1." },
    },
    required: ["reason", "correct", "score"],
    additionalProperties: false,
  },
};

/** One judge's vote; rejects when the model gives none. */
export async function askForVote(
  provider: ChatProvider,
  request: Omit<ChatRequest, "tools" | "toolChoice">,
  signal: AbortSignal,
): Promise<Vote> {
  const messages = [...request.messages];
  for (let asked = 1; ; asked++) {
    const asking = {
      ...request,
      messages: [...messages],
      tools: [VERDICT],
      toolChoice: { name: VERDICT.name },
    };
    const reply = await provider.generate(asking, { signal });
    const vote = readVote(reply);
    if (vote !== null) return vote;
    if (asked === MAX_ASKS)
      throw new Error(
        `the judge ${request.model} gave no verdict; it said ${JSON.stringify(reply.content.slice(0, 200))}`,
      );
    messages.push({ role: "assistant", content: reply.content, toolCalls: [] });
    messages.push({ role: "user", content: `Call the ${VERDICT.name} tool with reason, correct and score.` });
  }
}

function readVote({ toolCalls, content }: ChatReply): Vote | null {
  const call = toolCalls.find(({ name }) => name === VERDICT.name);
  const { correct, score, reason } = Object(call?.input ?? readJson(content)) as Partial<
    Record<keyof Vote, unknown>
  >;
  if (typeof correct !== "boolean") return null;
  const isShare = typeof score === "number" && score >= 0 && score <= 1;
  return {
    correct,
    score: isShare ? score : Number(correct),
    reason: typeof reason === "string" ? reason : "",
  };
}

/** Some servers ignore the tool and give its input as text, often in a fence. */
function readJson(content: string): unknown {
  return parseJson(content.slice(content.indexOf("{"), content.lastIndexOf("}") + 1));
}
