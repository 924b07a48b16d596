import { expect, test } from "vitest";
import { didYouMean, splitArgs } from "../../src/cli/arguments.ts";
import { COMMANDS } from "../../src/cli/command-table.ts";
import { CheckFlags } from "../../src/cli/commands/check.ts";
import { ListFlags } from "../../src/cli/commands/list.ts";
import { ServeFlags } from "../../src/cli/commands/serve.ts";
import { ShowFlags } from "../../src/cli/commands/show.ts";
import { ViewFlags } from "../../src/cli/commands/view.ts";
import { WatchFlags } from "../../src/cli/commands/watch.ts";
import { UsageError } from "../../src/cli/errors.ts";
import { readFlags } from "../../src/cli/flags.ts";
import { commandName } from "../../src/cli/host.ts";
import { checkTogether, RunFlags } from "../../src/cli/run/flags.ts";

const { run: RUN } = COMMANDS;
if (RUN === undefined) throw new Error("there is no run command");

function read(...args: string[]) {
  const { words, flags } = splitArgs("run", RUN as (typeof COMMANDS)[string], args);
  const checked = readFlags("run", RunFlags, flags);
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
  expect(() => read(...args)).toThrow(new UsageError(message, "run"));
});

test("every flag in the help is read, and every flag that is read is in the help", () => {
  const schemas = {
    run: RunFlags,
    check: CheckFlags,
    list: ListFlags,
    show: ShowFlags,
    serve: ServeFlags,
    view: ViewFlags,
    watch: WatchFlags,
  };
  for (const [name, schema] of Object.entries(schemas)) {
    expect(Object.keys(schema.shape).sort()).toEqual(Object.keys(COMMANDS[name]?.flags ?? {}).sort());
  }
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
