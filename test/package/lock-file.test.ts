import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
}

const lock = JSON.parse(readFileSync(join(import.meta.dirname, "../../package-lock.json"), "utf8"));
const locked = Object.entries<Locked>(lock.packages).filter(([folder]) => folder !== "");

test("every package of the lock file is held by its hash", () => {
  expect(locked.length).toBeGreaterThan(300);
  const open = locked.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""));
  expect(open.map(([folder]) => folder)).toEqual([]);
});

test("the lock file names no place to download from", () => {
  expect(locked.filter(([, { resolved, link }]) => resolved !== undefined || link === true)).toEqual([]);
});
