import { expect, test } from "vitest";
import { splitArgs } from "../../src/cli/arguments.ts";
import { readFlags } from "../../src/cli/command.ts";
import { UsageError } from "../../src/cli/exit.ts";
import { commandName } from "../../src/cli/host.ts";
import { checkTogether, RUN_FLAGS } from "../../src/cli/run/flags.ts";
import { COMMANDS } from "../../src/cli/run-cli.ts";
import { didYouMean } from "../../src/domain/format.ts";

function read(...args: string[]) {
  const { words, flags } = splitArgs("run", RUN_FLAGS, args);
  const checked = readFlags(RUN_FLAGS, flags);
  checkTogether(words, checked);
  return { words, flags: checked };
}

test("words and flags may be mixed", () => {
  const { words, flags } = read(
    "a.eval.ts",
    "--model",
    "openai/x",
    "--json",
    "b.eval.ts",
    "--model=hf/org/y",
  );
  expect(words).toEqual(["a.eval.ts", "b.eval.ts"]);
  expect(flags).toMatchObject({
    json: true,
    model: [
      { providerKey: "openai", model: "x" },
      { providerKey: "hf", model: "org/y" },
    ],
  });
});

test.each([
  [["f", "--concurrency", "0"], '--concurrency expects a whole number, 1 or more, got "0".'],
  [["f", "--concurrency", "1.5"], '--concurrency expects a whole number, 1 or more, got "1.5".'],
  [["f", "--limit", "-5"], '--limit expects a whole number, 1 or more, got "-5".'],
  [["f", "--trials", ""], '--trials expects a whole number, 1 or more, got "".'],
  [["f", "--timeout", "0"], '--timeout expects seconds, more than 0 and at most 86400, got "0".'],
  [["f", "--min-accuracy", "80"], '--min-accuracy expects a number from 0 to 1, got "80".'],
  [["f", "--isolation", "docker"], '--isolation expects process, pool or none, got "docker".'],
  [
    ["f", "--model", "a/b", "--model", "gpt"],
    '--model expects provider/model, such as openai/gpt-5-mini, got "gpt".',
  ],
  [["f", "--limit"], "--limit needs a value: --limit N."],
  [["f", "--limit", "--json"], "--limit needs a value: --limit N."],
  [["f", "--json=1"], '--json takes no value, got "1".'],
  [["f", "--modle", "a/b"], "run has no flag --modle. Did you mean --model?"],
  [["f", "--toString"], "run has no flag --toString."],
  [[], "run needs an evaluation file: run evals/first.eval.ts (init writes one)."],
  [["f", "--watch", "--json"], "--watch and --json do not go together."],
  [["f", "--grow"], "--grow needs the evaluation: --resume ID --grow."],
])("%j is refused", (args, message) => {
  expect(() => read(...args)).toThrow(new UsageError(message));
});

test.each([
  ["rnu", " Did you mean run?"],
  ["lst", " Did you mean list?"],
  ["shwo", " Did you mean show?"],
  ["deploy", ""],
])("%s leads to %j", (typed, hint) => {
  expect(didYouMean(typed, Object.keys(COMMANDS))).toBe(hint);
});

test.each([
  ["/repo/src/cli/main.ts", { npm_lifecycle_event: "start" }, "npm run cli --"],
  ["/repo/src/cli/main.ts", {}, "node src/cli/main.ts"],
  ["/repo/node_modules/.bin/agent-evaluator", {}, "npx agent-evaluator"],
  ["/usr/local/bin/agent-evaluator", {}, "agent-evaluator"],
])("a user of %s with %j calls it %s", (script, env, name) => {
  expect(commandName({ script, cwd: "/repo", env })).toBe(name);
});
