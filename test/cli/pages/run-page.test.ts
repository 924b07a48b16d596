import { expect, test } from "vitest";
import { runPage } from "../../../src/cli/pages/run-page.ts";
import { aBody, aLogEntry } from "../../fixtures/records/a-log-entry.ts";

const call = (retries: number) => ({
  kind: "model_call" as const,
  atMs: 0,
  providerKey: "openai",
  model: "gpt-5-mini",
  request: {},
  reply: null,
  error: "connect ECONNREFUSED",
  usage: null,
  latencyMs: 1,
  retries,
});

test.each([
  ["a limit", 0, "2.0s waiting for rate limits"],
  ["another try, whatever refused the first", 3, "2.0s waiting to try calls again"],
])("a run that waited says for what: %s", (_what, retries, told) => {
  const entry = aLogEntry({ waitSeconds: 2 });
  const body = aBody({ transcript: [call(retries)] });
  const [, facts = []] = runPage(entry, [entry], body, 80);
  expect(facts.map(([text]) => text).join("")).toContain(told);
});

test("a run whose entry took the place of a forged one says so", () => {
  const textOf = (entry: ReturnType<typeof aLogEntry>) =>
    runPage(entry, [entry], null, 200)
      .flat()
      .map(([text]) => text)
      .join("");
  expect(textOf(aLogEntry({ wasForged: true }))).toContain(
    "another entry for this run that the evaluator had not written",
  );
  expect(textOf(aLogEntry())).not.toContain("had not written");
});
