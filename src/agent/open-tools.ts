import type { OpenTools, Tool, ToolSource } from "./contract.ts";

/** Opens every source among the tools; what was opened is closed again, also when another one fails to open. */
export async function openTools(
  items: readonly (Tool | ToolSource)[],
  signal: AbortSignal,
): Promise<OpenTools> {
  const opened = await Promise.allSettled(items.map((item) => openItem(item, signal)));
  const open = opened.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const close = async () => {
    await Promise.allSettled(open.map((each) => each.close()));
  };
  const failed = opened.find((result) => result.status === "rejected");
  if (failed === undefined) return { tools: open.flatMap(({ tools }) => tools), close };
  await close();
  throw failed.reason;
}

async function openItem(item: Tool | ToolSource, signal: AbortSignal): Promise<OpenTools> {
  return "open" in item ? item.open(signal) : { tools: [item], close: async () => {} };
}
