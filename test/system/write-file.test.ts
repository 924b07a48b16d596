import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeWholeFile } from "../../src/system/write-file.ts";
import { aFolder } from "../fixtures/files/a-folder.ts";

test("a whole file is there with its folders, for this user alone", async () => {
  const folder = aFolder();
  const file = join(folder, "a/b/c.json");
  await writeWholeFile(file, "first");
  await writeWholeFile(file, new TextEncoder().encode("second"));
  expect(readFileSync(file, "utf8")).toBe("second");
  expect([file, join(folder, "a")].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700]);
  expect(readdirSync(join(folder, "a/b"))).toEqual(["c.json"]);
});

test("drafts may have a folder of their own, which is empty afterwards", async () => {
  const folder = aFolder();
  await writeWholeFile(join(folder, "kept/a.json"), "a", join(folder, "drafts"));
  expect(readFileSync(join(folder, "kept/a.json"), "utf8")).toBe("a");
  expect(readdirSync(join(folder, "drafts"))).toEqual([]);
});

test("many writers of one file leave one of their texts, and no draft", async () => {
  const folder = aFolder();
  const texts = Array.from({ length: 50 }, (_, number) => String(number).repeat(10_000));
  await Promise.all(texts.map((text) => writeWholeFile(join(folder, "a.json"), text)));
  expect(texts).toContain(readFileSync(join(folder, "a.json"), "utf8"));
  expect(readdirSync(folder)).toEqual(["a.json"]);
});

test("a file that cannot get its name leaves no draft", async () => {
  const folder = aFolder();
  mkdirSync(join(folder, "taken"));
  writeFileSync(join(folder, "taken/file"), "");
  await expect(writeWholeFile(join(folder, "taken"), "text")).rejects.toMatchObject({ syscall: "rename" });
  expect(readdirSync(folder)).toEqual(["taken"]);
});
