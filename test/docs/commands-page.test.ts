import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMON_FLAGS, type FlagHelp } from "../../src/cli/arguments.ts";
import { COMMANDS } from "../../src/cli/run-cli.ts";
import { wrapText } from "../../src/cli/text/width.ts";
import { adviceOn, FAILURE_CAUSES, faultOf } from "../../src/domain/run/failure.ts";
import { COMMANDS_PAGE, REPO } from "../fixtures/docs/readme.ts";

const WIDTH = 120;

function flagTable(flags: Readonly<Record<string, FlagHelp>>): string[] {
  const rows = Object.entries(flags).map(([name, { value, help }]) => [
    value === undefined ? `\`--${name}\`` : `\`--${name} ${value}\``,
    help,
  ]);
  return tableOf(["Flag", "What it does"], rows);
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, at) => (cells[at] ?? "").padEnd(width)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)];
}

const causeTable = (): string[] =>
  tableOf(
    ["Cause", "Fault", "What to do"],
    FAILURE_CAUSES.map((cause) => [`\`${cause}\``, faultOf(cause), adviceOn(cause)]),
  );

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

test("the commands page has every command, flag and failure cause as the code has them; UPDATE=1 writes them into it", async () => {
  const intro = /^[\s\S]*?\n\n(?=\| Flag)/.exec(COMMANDS_PAGE)?.[0] ?? "";
  const causes = COMMANDS_PAGE.slice(COMMANDS_PAGE.indexOf("## Failure causes"));
  const ending = causes.replace(/(?:^\|.*\n)+/m, () => `${causeTable().join("\n")}\n`);
  const page = `${intro}${flagTable(COMMON_FLAGS).join("\n")}\n\n${await commandSections()}${ending}`;
  if (process.env.UPDATE) writeFileSync(join(REPO, "docs/reference/commands.md"), page);
  else expect(COMMANDS_PAGE).toBe(page);
});
