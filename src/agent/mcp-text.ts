import type { CallToolResult } from "@modelcontextprotocol/client";

type Block = CallToolResult["content"][number];

/** What a tool's result says to a model that reads text. */
export function mcpText({ content, structuredContent }: CallToolResult): string {
  const text = content.map(blockText).join("\n");
  return text === "" && structuredContent !== undefined ? JSON.stringify(structuredContent) : text;
}

function blockText(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type} ${block.mimeType}, ${block.data.length} characters of base64]`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`;
    case "resource_link":
      return `[${block.name}](${block.uri})`;
  }
}
