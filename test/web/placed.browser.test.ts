import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import type { Assets } from "../../src/api/assets.ts";
import { folderAssets, webBuild } from "../../src/cli/dashboard/assets.ts";
import { listen } from "../../src/cli/dashboard/serve-folder.ts";
import { placeDashboard } from "../../src/deploy/packer.ts";
import { anApi, TOKEN } from "../api/an-api.ts";
import { openPage } from "../fixtures/browser/a-dashboard.ts";
import { storeDemo } from "../fixtures/browser/demo-evaluation.ts";
import { closeBrowser } from "../fixtures/browser/open-browser.ts";
import { aFolder } from "../fixtures/files/a-folder.ts";

afterAll(closeBrowser);

test("a placed dashboard shows what the API at another address holds", async () => {
  let files: Assets = async () => null;
  const site = await listen(0, () => async (request) => {
    const { pathname } = new URL(request.url);
    const found = await files(pathname === "/" ? "/index.html" : pathname);
    return found === null
      ? new Response(null, { status: 404 })
      : new Response(found.content, { headers: { "content-type": found.type } });
  });
  onTestFinished(() => site[Symbol.asyncDispose]());
  const origin = `http://127.0.0.1:${site.port}`;
  const api = await anApi({ origin });
  await storeDemo(api.store, { id: "invoices-1", problems: 2 });
  files = folderAssets(placeDashboard(await webBuild("web"), join(aFolder(), "placed"), api.url));

  const asked: string[] = [];
  const page = await openPage(origin, { expected: new RegExp(`^${api.url}/`) });
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`${origin}/#token=${TOKEN}&/evaluations/invoices-1`);
  await page.getByRole("heading", { name: "invoices-1" }).waitFor();
  expect(asked).toContain(`${api.url}/evaluations/invoices-1`);
});
