import { expect, test } from "vitest";
import { folderAssets } from "../../src/cli/dashboard/assets.ts";
import { aProject } from "../fixtures/files/a-project.ts";
import { anApi, refusal } from "./an-api.ts";

const VISIT = { "sec-fetch-dest": "document" };

async function aDashboard() {
  const project = aProject({
    "secret.json": "{}",
    "web/index.html": "<!doctype html>",
    "web/assets/main.js": "go()",
    "web/notes.txt": "no",
  });
  const { url, get } = await anApi({ assets: folderAssets(`${project}/web`) });
  return { get, visit: (path: string, headers = {}) => fetch(`${url}${path}`, { headers }) };
}

test("the dashboard's files need no token and may load nothing from elsewhere", async () => {
  const { visit } = await aDashboard();
  const page = await visit("/");
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(page.headers.get("content-security-policy")).toMatch(/default-src 'none'; script-src 'self';/);
  const script = await visit("/assets/main.js");
  expect([await script.text(), script.headers.get("cache-control")]).toEqual([
    "go()",
    "public, max-age=31536000, immutable",
  ]);
});

test("a browser that opens a page of the dashboard gets it, also where the API has a route of that name", async () => {
  const { visit, get } = await aDashboard();
  expect(await (await visit("/evaluations", VISIT)).text()).toBe("<!doctype html>");
  expect(await (await visit("/compare/a/b", VISIT)).text()).toBe("<!doctype html>");
  expect(await (await get("/evaluations", VISIT)).json()).toEqual({ evaluations: [], next: null });
  expect((await visit("/evaluations")).status).toBe(401);
});

test.each(["/..%2fsecret.json", "/%2e%2e/secret.json", "/notes.txt", "/assets", "/nothing.js", "/a%00.js"])(
  "%s is no file of the dashboard",
  async (path) => {
    const { get } = await aDashboard();
    expect((await refusal(await get(path)))[0]).toBe(404);
  },
);
