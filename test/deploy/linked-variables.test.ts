import { expect, test } from "vitest";
import { linkedVariables, neededSecret } from "../../src/deploy/parts.ts";
import { scheduledId } from "../../src/engine/cloud/executions.ts";

test("linked secrets become variables, unless nobody has set them", () => {
  const resources = {
    OpenaiApiKey: { type: "sst.sst.Secret", value: "sk-1" },
    GeminiApiKey: { type: "sst.sst.Secret", value: "unset" },
    Table: { name: "table" },
  };
  const names = ["OPENAI_API_KEY", "GEMINI_API_KEY", "MISSING", "TABLE"];
  expect(linkedVariables(names, resources)).toEqual({ OPENAI_API_KEY: "sk-1" });
});

test("a secret without which nothing works says how to set it", () => {
  expect(() => neededSecret("ApiToken", {})).toThrow("npx sst secret set ApiToken");
});

test.each([
  [
    "the same time starts one",
    "Nightly run",
    "2026-11-18T06:00:00Z",
    "Nightly run",
    "2026-11-18T06:00:00.000Z",
    true,
  ],
  ["another day", "Nightly run", "2026-11-18T06:00:00Z", "Nightly run", "2026-11-19T06:00:00Z", false],
  ["a name that only looks the same", "a b", "2026-11-18T06:00:00Z", "a-b", "2026-11-18T06:00:00Z", false],
])("%s", (_, name, at, other, otherAt, isSame) => {
  const id = scheduledId({ evaluation: name, scheduledAt: at });
  expect(id === scheduledId({ evaluation: other, scheduledAt: otherAt })).toBe(isSame);
});
