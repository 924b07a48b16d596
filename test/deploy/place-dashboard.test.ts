import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installedDashboard, placeDashboard } from "../../src/deploy/packer.ts";
import { aProject } from "../fixtures/files/a-project.ts";

const PACKED = "node_modules/agent-evaluator/dist/web";

test("the dashboard of the package is found from a project, and from a workspace in it", () => {
  const root = aProject({ [`${PACKED}/index.html`]: "<head></head>" });
  mkdirSync(join(root, "packages/evals"), { recursive: true });
  for (const project of [root, join(root, "packages/evals")])
    expect(installedDashboard(project)).toBe(join(root, PACKED));
  expect(installedDashboard(aProject({}))).toBeNull();
});

test("a placed dashboard names its API, and nothing of an earlier one is left", () => {
  const root = aProject({ "web/index.html": "<html><head>\n</head></html>", "web/assets/a.js": "a()" });
  const [from, to] = [join(root, "web"), join(root, "placed")];
  expect(placeDashboard(from, to, "https://old.example")).toBe(to);
  writeFileSync(join(to, "left.js"), "");
  placeDashboard(from, to, 'https://api.example/"x');
  const page = readFileSync(join(to, "index.html"), "utf8");
  expect(page).toContain('<head>\n    <meta name="api" content="https://api.example/%22x" />');
  expect(readFileSync(join(to, "assets/a.js"), "utf8")).toBe("a()");
  expect(() => readFileSync(join(to, "left.js"))).toThrow("ENOENT");
});

test("a page that cannot name an API is not placed in silence", () => {
  const root = aProject({ "web/index.html": "<p>" });
  expect(() => placeDashboard(join(root, "web"), join(root, "placed"), "https://api.example")).toThrow(
    "has no <head>",
  );
});
