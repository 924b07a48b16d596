import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROVIDER_TABLE } from "../../src/providers/table.ts";

const repo = join(import.meta.dirname, "../..");
const providers = Object.keys(PROVIDER_TABLE);

interface Titled {
  readonly provider: string | null;
  readonly title: RegExp;
}

const titles = ["test/contract/provider/*.ts", "test/providers/**/*.test.ts"]
  .flatMap((pattern) => globSync(pattern, { cwd: repo }))
  .flatMap((path) => titlesIn(readFileSync(join(repo, path), "utf8"), ownerOf(path)));

const document = readFileSync(join(repo, "docs/reference/providers.md"), "utf8");
const rows = document
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .filter((cells) => cells.length === 5 && cells[1] !== "Provider" && !cells[1]?.startsWith("-"))
  .map(([, provider = "", , title = ""]) => ({ provider, title }));

test("the table of settings is the one that providers are made from", () => {
  const settings = document.matchAll(/^\| `([\w-]+)(?::(\w+))?`\s*\| (.*?)\s*\| (.*?)\s*\|/gm).toArray();
  expect(new Set(settings.map(([, word]) => word))).toEqual(new Set(providers));
  for (const [, word = "", name = null, apiKey = "", baseUrl = ""] of settings) {
    const needed = PROVIDER_TABLE[word]?.variables(name);
    expect([...apiKey.matchAll(/`(\w+)`/g)].map(([, variable]) => variable)).toEqual(needed?.apiKey);
    expect(baseUrl).toContain(`\`${needed?.baseUrl}\``);
  }
});

test("the table of quirks is read", () => {
  expect(rows.length).toBeGreaterThan(30);
});

test.each(rows)("the quirk of $provider is held by: $title", ({ provider, title }) => {
  expect(providers).toContain(provider);
  const mayHold = titles.filter((titled) => titled.provider === null || titled.provider === provider);
  expect(mayHold.some((titled) => titled.title.test(title))).toBe(true);
});

/** Null for tests of several providers; `openai/compatible.test.ts` is not about `openai`. */
function ownerOf(path: string): string | null {
  const file = path.split("/").slice(2).join("-");
  const fitting = providers.filter((provider) => new RegExp(`^${provider}[-.]`).test(file));
  const isShared = path.includes("contract") || path.split("/").length === 3;
  return fitting.toSorted((a, b) => b.length - a.length)[0] ?? (isShared ? null : "");
}

/** The titles of a file's tests, without the provider's name; what a table fills in may be anything. */
function titlesIn(text: string, provider: string | null): Titled[] {
  return [...text.matchAll(/(?:test|\))\(\s*(["`])(?:[^"`\n]*?: )?([^"`\n]+)\1/g)].map(
    ([, , title = ""]) => ({
      provider,
      title: new RegExp(
        `^${title
          .split(/%[sij]/)
          .map(RegExp.escape)
          .join(".+")}$`,
      ),
    }),
  );
}
