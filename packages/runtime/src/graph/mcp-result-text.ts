import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";

/** What a tool of a server answered, as a model reads it. What is no text is named, and not passed on. */
export function mcpResultText({ content, structuredContent }: CallToolResult): string {
  const text = content.map(blockText).join("\n");
  return text === "" && structuredContent !== undefined ? JSON.stringify(structuredContent) : text;
}

function blockText(block: CallToolResult["content"][number]): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource":
      return "text" in block.resource
        ? block.resource.text
        : `[${block.resource.mimeType ?? "bytes"} ${block.resource.uri}]`;
    case "resource_link":
      return `[${block.name}: ${block.uri}]`;
    default:
      return `[${block.type} ${block.mimeType}]`;
  }
}
