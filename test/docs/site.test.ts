import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PAGES } from "../fixtures/docs/pages.ts";
import { REPO } from "../fixtures/docs/readme.ts";

const site = mkdtempSync(join(tmpdir(), "site-"));
beforeAll(() => {
  execFileSync("vitepress", ["build", "docs", "--outDir", site], { cwd: REPO, stdio: "pipe" });
});
afterAll(() => rmSync(site, { recursive: true }));

/** Where a page of the repository lies in the site. */
const builtPath = (path: string): string => (path === "README.md" ? "index" : path.slice(0, -".md".length));
const html = (page: string): string => readFileSync(join(site, `${page}.html`), "utf8");

/** Links of a page, without those that lead to other sites and without what only shows code. */
const linksOf = (text: string): string[] =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^https?:/.test(link));

test("the site has every page and no other", () => {
  const built = globSync("**/*.html", { cwd: site }).map((path) => path.slice(0, -".html".length));
  expect(built.toSorted()).toEqual([...[...PAGES.keys()].map(builtPath), "404"].toSorted());
});

test("the sidebar leads to every page but the first", () => {
  const [sidebar = ""] = /<aside class="VPSidebar[\s\S]*?<\/aside>/.exec(html("index")) ?? [];
  const linked = [...sidebar.matchAll(/href="\/([^"]*)"/g)].map(([, link = ""]) => link);
  expect(linked.toSorted()).toEqual(
    [...PAGES.keys()]
      .filter((path) => path !== "README.md")
      .map(builtPath)
      .toSorted(),
  );
});

test.each([...PAGES])("the links of %s lead to pages and headings that are there", (path, text) => {
  for (const link of linksOf(text)) {
    const [file = "", heading] = link.split("#");
    const target = file === "" ? path : join(dirname(path), file);
    expect(PAGES.has(target) || existsSync(join(REPO, target)), link).toBe(true);
    if (heading !== undefined) expect(html(builtPath(target)), link).toContain(` id="${heading}"`);
  }
});

test("pages of the site link to pages only, as nothing else is in it", () => {
  const odd = [...PAGES].flatMap(([path, text]) =>
    linksOf(text)
      .filter((link) => !/^[^#]*\.md(?:#|$)|^#|^LICENSE$/.test(link))
      .map((link) => `${path}: ${link}`),
  );
  expect(odd).toEqual([]);
});
