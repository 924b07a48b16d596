import type {
  ContentBlockDelta,
  ContentBlockStart,
  ConverseCommandOutput,
  ConverseStreamCommandOutput,
  ConverseStreamOutput,
  TokenUsage,
} from "@aws-sdk/client-bedrock-runtime";
import type { Json } from "../../domain/json.ts";
import { UnreadableAnswer } from "../failed-call.ts";
import type { ChatChunk, ChatReply } from "../provider.ts";
import { readConverseUsage } from "../usage.ts";
import { CLAUDE_FINISH_REASONS, IndexedPieces, toToolInput } from "../wire.ts";
import { type KeptBlock, toKeptBlocks } from "./request.ts";

/** Puts the events of a stream together: text as it comes, then the reply that the same call gives in one piece. */
export async function* readConverseStream(output: ConverseStreamCommandOutput): AsyncGenerator<ChatChunk> {
  const whole = new WholeMessage();
  for await (const event of output.stream ?? []) {
    const text = whole.add(event);
    if (text !== "") yield { kind: "text", text };
  }
  yield { kind: "reply", reply: toBedrockReply(whole.answer(output.$metadata.requestId)) };
}

class WholeMessage {
  #stopReason: string | undefined;
  #usage: TokenUsage | undefined;
  readonly #blocks = new IndexedPieces<WholeBlock>();

  /** Gives the visible text of the event. */
  add({ contentBlockStart, contentBlockDelta, messageStop, metadata }: ConverseStreamOutput): string {
    this.#stopReason ??= messageStop?.stopReason;
    this.#usage ??= metadata?.usage;
    if (contentBlockStart !== undefined) {
      this.#block(contentBlockStart.contentBlockIndex).start(contentBlockStart.start);
    }
    const delta = contentBlockDelta?.delta;
    if (delta !== undefined) this.#block(contentBlockDelta?.contentBlockIndex).add(delta);
    return delta?.text ?? "";
  }

  /** A block of text begins without a start. */
  #block(index = 0): WholeBlock {
    return this.#blocks.at(index, () => new WholeBlock());
  }

  answer(requestId: string | undefined): BedrockAnswer {
    if (this.#stopReason === undefined) throw new Error("the stream ended before the reply did");
    const blocks = this.#blocks.inOrder().flatMap((block) => block.toKept());
    return { blocks, stopReason: this.#stopReason, usage: this.#usage, requestId };
  }
}

class WholeBlock {
  #tool: { toolUseId: string; name: string } | undefined;
  #toolInput = "";
  #text = "";
  #reasoning: { text: string; signature: string } | undefined;
  readonly #redacted: Uint8Array[] = [];

  start(start: ContentBlockStart | undefined): void {
    const { toolUseId, name } = start?.toolUse ?? {};
    if (toolUseId !== undefined && name !== undefined) this.#tool = { toolUseId, name };
  }

  add({ text, toolUse, reasoningContent }: ContentBlockDelta): void {
    this.#text += text ?? "";
    this.#toolInput += toolUse?.input ?? "";
    if (reasoningContent?.redactedContent !== undefined) {
      this.#redacted.push(reasoningContent.redactedContent);
    } else if (reasoningContent !== undefined) {
      const { text = "", signature = "" } = this.#reasoning ?? {};
      this.#reasoning = {
        text: text + (reasoningContent.text ?? ""),
        signature: signature + (reasoningContent.signature ?? ""),
      };
    }
  }

  toKept(): KeptBlock[] {
    if (this.#tool !== undefined)
      return [{ toolUse: { ...this.#tool, input: toToolInput(this.#toolInput) } }];
    if (this.#redacted.length > 0) {
      const redactedContent = Buffer.concat(this.#redacted).toString("base64");
      return [{ reasoningContent: { redactedContent } }];
    }
    if (this.#reasoning === undefined) return [{ text: this.#text }];
    const { text, signature } = this.#reasoning;
    return [{ reasoningContent: { reasoningText: { text, ...(signature === "" ? {} : { signature }) } } }];
  }
}

/** A reply of Converse, in one piece or put together from a stream. */
interface BedrockAnswer {
  readonly blocks: readonly KeptBlock[];
  readonly stopReason: string;
  readonly usage: TokenUsage | undefined;
  readonly requestId: string | undefined;
}

export function readConverse({ output, stopReason, usage, $metadata }: ConverseCommandOutput): BedrockAnswer {
  if (output?.message === undefined || stopReason === undefined) {
    const why = new Error("the answer has no message or does not say why it ended");
    throw new UnreadableAnswer(why, readConverseUsage(usage).usage);
  }
  const blocks = (output.message.content ?? []).flatMap(toKeptBlocks);
  return { blocks, stopReason, usage, requestId: $metadata.requestId };
}

export function toBedrockReply({ blocks, stopReason, usage, requestId }: BedrockAnswer): ChatReply {
  const toolCalls = blocks
    .flatMap((block) => ("toolUse" in block ? [block.toolUse] : []))
    .map(({ toolUseId, name, input }) => ({ id: toolUseId, name, input }));
  const isPlain = blocks.every((block) => "text" in block || "toolUse" in block);
  return {
    content: blocks.map((block) => ("text" in block ? block.text : "")).join(""),
    toolCalls,
    finishReason: CLAUDE_FINISH_REASONS[stopReason] ?? "other",
    ...readConverseUsage(usage),
    id: requestId ?? null,
    // No field of a kept block is undefined.
    ...(isPlain ? {} : { opaque: { kind: "bedrock", blocks: blocks as readonly Json[] } }),
  };
}
