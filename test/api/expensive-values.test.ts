import { expect, test } from "vitest";
import { Fresh } from "../../src/api/stats-reader.ts";

function aFresh() {
  let nowMs = 0;
  let made = 0;
  const fresh = new Fresh<number>(() => nowMs);
  const get = (tookMs = 0) =>
    fresh.get("key", async () => {
      nowMs += tookMs;
      return ++made;
    });
  return { get, pass: (ms: number) => (nowMs += ms) };
}

test("askers at the same time get the same value", async () => {
  const { get } = aFresh();
  expect(await Promise.all([get(), get(), get()])).toEqual([1, 1, 1]);
});

test("a value is made again after a second", async () => {
  const { get, pass } = aFresh();
  await get();
  pass(999);
  expect(await get()).toBe(1);
  pass(1);
  expect(await get()).toBe(2);
});

test("a value that took long is kept for ten times as long", async () => {
  const { get, pass } = aFresh();
  await get(5_000);
  pass(49_999);
  expect(await get()).toBe(1);
  pass(1);
  expect(await get()).toBe(2);
});

test("whoever comes while it is made again gets the last one", async () => {
  const { get, pass } = aFresh();
  await get();
  pass(2_000);
  expect(await Promise.all([get(), get()])).toEqual([2, 1]);
});

test("a failure is told and not kept", async () => {
  const fresh = new Fresh<number>(() => 0);
  const failing = fresh.get("key", () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(await fresh.get("key", async () => 7)).toBe(7);
});
