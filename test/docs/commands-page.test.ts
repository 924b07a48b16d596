import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMON_FLAGS, type FlagHelp } from "../../src/cli/arguments.ts";
import { COMMANDS } from "../../src/cli/run-cli.ts";
import { wrapText } from "../../src/cli/text/width.ts";
import { COMMANDS_PAGE, REPO } from "../fixtures/docs/readme.ts";
import { tableOf } from "../fixtures/docs/table.ts";

const WIDTH = 120;

function flagTable(flags: Readonly<Record<string, FlagHelp>>): string[] {
  const rows = Object.entries(flags).map(([name, { value, help }]) => [
    value === undefined ? `\`--${name}\`` : `\`--${name} ${value}\``,
    help,
  ]);
  return tableOf(["Flag", "What it does"], rows);
}

/** A note as an item of a list. */
const item = (note: string): string => wrapText(note, WIDTH - 2).join("\n  ");

async function commandSections(): Promise<string> {
  const sections = Object.entries(COMMANDS).map(async ([name, { usage, summary, load }]) => {
    const { flags, notes } = await load();
    const list = notes.length === 0 ? [] : ["", ...notes.map((note) => `- ${item(note)}`)];
    return [`## ${name}`, "", `\`${usage}\`: ${summary}.`, "", ...flagTable(flags), ...list, "", ""].join(
      "\n",
    );
  });
  return (await Promise.all(sections)).join("");
}

test("the commands page has every command and flag as the code has them; UPDATE=1 writes them into it", async () => {
  const intro = /^[\s\S]*?\n\n(?=\| Flag)/.exec(COMMANDS_PAGE)?.[0] ?? "";
  const page = `${intro}${flagTable(COMMON_FLAGS).join("\n")}\n\n${(await commandSections()).trimEnd()}\n`;
  if (process.env.UPDATE) writeFileSync(join(REPO, "docs/reference/commands.md"), page);
  else expect(COMMANDS_PAGE).toBe(page);
});
