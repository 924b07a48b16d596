import type {
  ContentBlockDelta,
  ContentBlockStart,
  ConverseStreamCommandOutput,
  ConverseStreamOutput,
  TokenUsage,
} from "@aws-sdk/client-bedrock-runtime";
import type { KeptBlock } from "./bedrock-blocks.ts";
import { type BedrockAnswer, toBedrockReply } from "./bedrock-reply.ts";
import type { ChatChunk } from "./contract.ts";
import { toToolInput } from "./tool-input.ts";

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
  readonly #blocks: WholeBlock[] = [];

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
    this.#blocks[index] ??= new WholeBlock();
    return this.#blocks[index];
  }

  answer(requestId: string | undefined): BedrockAnswer {
    if (this.#stopReason === undefined) throw new Error("the stream ended before the reply did");
    const blocks = this.#blocks.filter((block) => block !== undefined).flatMap((block) => block.toKept());
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
      return [{ redactedReasoning: Buffer.concat(this.#redacted).toString("base64") }];
    }
    if (this.#reasoning === undefined) return [{ text: this.#text }];
    const { text, signature } = this.#reasoning;
    return [{ reasoning: { text, ...(signature === "" ? {} : { signature }) } }];
  }
}
