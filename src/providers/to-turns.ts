import type { Message, Part } from "./contract.ts";

export type AssistantMessage = Extract<Message, { role: "assistant" }>;
export type ToolMessage = Extract<Message, { role: "tool" }>;

/** How one provider writes what each side says. */
export interface TurnBlocks<Block> {
  part(part: Part): Block;
  assistant(message: AssistantMessage): readonly Block[];
  toolResult(message: ToolMessage): Block;
}

export interface Turn<Block> {
  readonly role: "user" | "assistant";
  readonly content: Block[];
}

/** The conversation as providers with strict turns want it: neighbours of one role are one turn, with what tools gave. */
export function toTurns<Block>(messages: readonly Message[], blocks: TurnBlocks<Block>): Turn<Block>[] {
  const turns: Turn<Block>[] = [];
  for (const message of messages) {
    const content = toBlocks(message, blocks);
    if (content.length === 0) continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content: [...content] });
  }
  return turns;
}

/** What the system says goes elsewhere in a request. */
function toBlocks<Block>(message: Message, blocks: TurnBlocks<Block>): readonly Block[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return typeof message.content === "string"
        ? [blocks.part({ kind: "text", text: message.content })]
        : message.content.map((part) => blocks.part(part));
    case "assistant":
      return blocks.assistant(message);
    case "tool":
      return [blocks.toolResult(message)];
  }
}
