import type { ChatChunk } from "./contract.ts";
import { type AnswerPart, GeminiAnswer, toGeminiReply } from "./gemini-reply.ts";

/** Puts the pieces of a stream together: text as it comes, then the reply that the same call gives in one piece. */
export async function* readGeminiStream(
  pieces: AsyncIterable<unknown>,
  turn: number,
): AsyncGenerator<ChatChunk> {
  const parts: AnswerPart[] = [];
  let whole: GeminiAnswer = {};
  let finishReason: string | null = null;
  for await (const piece of pieces) {
    const answer = GeminiAnswer.parse(piece);
    const candidate = answer.candidates?.[0];
    finishReason = candidate?.finishReason ?? finishReason;
    whole = { ...whole, ...withoutBlanks(answer) };
    for (const part of candidate?.content?.parts ?? []) {
      addPart(parts, part);
      if (part.text && !part.thought) yield { kind: "text", text: part.text };
    }
  }
  const isBlocked = Boolean(whole.promptFeedback?.blockReason);
  if (finishReason === null && !isBlocked) throw new Error("the stream ended before the reply did");
  const candidates = finishReason === null ? [] : [{ content: { parts }, finishReason }];
  yield { kind: "reply", reply: toGeminiReply({ ...whole, candidates }, turn) };
}

const withoutBlanks = (answer: GeminiAnswer): GeminiAnswer =>
  Object.fromEntries(Object.entries(answer).filter(([, value]) => value != null));

/** Pieces of plain text become one part; a part with a signature stays as it came. */
function addPart(parts: AnswerPart[], part: AnswerPart): void {
  const last = parts.at(-1);
  if (last !== undefined && isPlainText(last) && isPlainText(part) && last.thought === part.thought) {
    parts[parts.length - 1] = { ...last, text: `${last.text}${part.text}` };
    return;
  }
  parts.push(part);
}

const isPlainText = (part: AnswerPart): boolean =>
  part.text !== undefined && Object.keys(part).every((key) => key === "text" || key === "thought");
