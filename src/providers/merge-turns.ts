/** One message per turn: neighbours of the same role become one, as providers with strict turns ask for. */
export function mergeTurns<Role extends string, Block>(
  turns: readonly { readonly role: Role; readonly content: readonly Block[] }[],
): { role: Role; content: Block[] }[] {
  const merged: { role: Role; content: Block[] }[] = [];
  for (const { role, content } of turns) {
    if (content.length === 0) continue;
    const last = merged.at(-1);
    if (last?.role === role) last.content.push(...content);
    else merged.push({ role, content: [...content] });
  }
  return merged;
}
