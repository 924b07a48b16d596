import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FAILURE_CAUSES } from "../../src/domain/run/failure.ts";
import { PAGES } from "../fixtures/docs/pages.ts";
import { REPO } from "../fixtures/docs/readme.ts";
import { GENERATED } from "../fixtures/docs/reference.ts";

const MARKED = /(<!-- generated: ([\w ]+) -->\n)[\s\S]*?(<!-- end -->)/g;

const generate = (page: string): string =>
  page.replaceAll(MARKED, (_, start: string, name: string, end: string) => {
    const text = (GENERATED[name]?.() ?? [])
      .join("\n")
      .replaceAll(/\n{3,}/g, "\n\n")
      .trim();
    return `${start}\n${text}\n\n${end}`;
  });

const marked = [...PAGES].filter(([, page]) => page.includes("<!-- generated"));

test.each(marked)("%s has what the code has; UPDATE=1 writes it", (path, page) => {
  if (process.env.UPDATE) writeFileSync(join(REPO, path), generate(page));
  else expect(page).toBe(generate(page));
});

test("all that is generated is in a page, and nothing of it is empty", () => {
  const names = marked.flatMap(([, page]) => [...page.matchAll(MARKED)].map(([, , name]) => name));
  expect(names.toSorted()).toEqual(Object.keys(GENERATED).toSorted());
  for (const make of Object.values(GENERATED)) expect(make().join("").length).toBeGreaterThan(50);
  expect(GENERATED.causes?.()).toHaveLength(FAILURE_CAUSES.length + 2);
});

test("every option and limit has a comment", () => {
  const lines = [...(GENERATED.options?.() ?? [])];
  const bare = lines.filter((line, at) => line.startsWith("### ") && !lines[at + 4]);
  expect(bare).toEqual([]);
  expect((GENERATED.limits?.() ?? []).filter((row) => /\|\s+\|$/.test(row))).toEqual([]);
});

test("every variable that the command reads is on the page of variables", () => {
  const page = PAGES.get("docs/reference/environment.md") ?? "";
  const read = globSync("src/cli/**/*.ts", { cwd: REPO }).flatMap((path) =>
    [...readFileSync(join(REPO, path), "utf8").matchAll(/\benv\.([A-Z][A-Z_]+)\b/g)].map(
      ([, name = ""]) => name,
    ),
  );
  // Only how a browser is found.
  const shown = read.filter((name) => !["DISPLAY", "WAYLAND_DISPLAY"].includes(name));
  expect(shown.length).toBeGreaterThan(5);
  for (const name of shown) expect(page).toContain(`\`${name}\``);
});
