import { mkdirSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tidyBuilds } from "../../../src/cli/dashboard/assets.ts";
import { aProject } from "../../fixtures/files/a-project.ts";

const NOW = new Date("2026-01-02T12:00:00Z");
const minutesAgo = (minutes: number): Date => new Date(NOW.getTime() - minutes * 60_000);

test("of the dashboard's builds the current one stays, and those that may be in use", async () => {
  const kept = aProject();
  const ages = {
    "web-1": 60,
    "web-2": 5,
    "web-3": 60,
    "report-1": 60,
    "report-3": 60,
    "new-x": 60,
    "new-y": 1,
    other: 60,
  };
  for (const [name, minutes] of Object.entries(ages)) {
    mkdirSync(join(kept, name));
    utimesSync(join(kept, name), minutesAgo(minutes), minutesAgo(minutes));
  }
  await tidyBuilds(kept, join(kept, "web-3"), NOW);
  expect(readdirSync(kept).sort()).toEqual(["new-y", "other", "report-3", "web-2", "web-3"]);
  expect(statSync(join(kept, "web-3")).mtime).toEqual(NOW);
});
