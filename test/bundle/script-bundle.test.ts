import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleDefinition } from "../../src/bundle/build-bundle.ts";
import { COMPILED } from "../../src/bundle/files.ts";
import { childModule } from "../../src/local/own-files.ts";
import { runCli } from "../fixtures/cli/start-cli.ts";
import { aProject } from "../fixtures/files/a-project.ts";

test.each([
  ["a script", "export default { name: 'plain' };", /\.cjs$/],
  [
    "a module when it waits at its top level",
    "export default await Promise.resolve({ name: 'waits' });",
    /\.mjs$/,
  ],
])("a definition is bundled as %s", async (_, text, ending) => {
  const folder = aProject({ "a.eval.ts": text });
  const { file } = await bundleDefinition(join(folder, "a.eval.ts"), {
    childModule: childModule(),
    outFolder: join(folder, "bundles"),
  });
  expect(file).toMatch(ending);
  expect((await import(file)).user.default.name).toMatch(/plain|waits/);
});

/** Its agent says whether its process was started from what was kept, and tries to have a code of its own kept. */
const evaluation = `
import { writeSync } from "node:fs";
const forge = () => {
  const text = Buffer.from(JSON.stringify({ kind: "compiled", code: Buffer.from("forged").toString("base64") }));
  const header = Buffer.alloc(4);
  header.writeUInt32BE(text.length);
  writeSync(3, Buffer.concat([header, text]));
};
export default {
  name: "compiled",
  models: [["scripted", "echo"]],
  problems: [["What?", "kept"]],
  buildAgent: () => async () => {
    forge();
    await import("node:" + "os");
    return globalThis[Symbol.for(${JSON.stringify(COMPILED)})] === undefined ? "kept" : "compiled anew";
  },
  resultChecker: (result, expected) => result === expected,
  scripts: { echo: [{ when: "What", say: "Paris" }] },
};`;

test("what V8 made of a bundle is kept by the first evaluation, and serves the next one", async () => {
  const cwd = aProject({ "a.eval.ts": evaluation });
  const results = async () => {
    const { stdout } = await runCli(["run", "a.eval.ts", "--json"], { cwd, env: { TMPDIR: cwd } });
    expect(stdout).not.toContain("Warning");
    return JSON.parse(stdout).logs.map(({ result }: { result: unknown }) => result);
  };
  expect(await results()).toEqual(["compiled anew"]);
  const kept = globSync(`agent-evaluator-*/*/*.cjs.${process.version}`, { cwd });
  expect(kept).toHaveLength(1);
  expect(readFileSync(join(cwd, kept[0] ?? "")).includes("forged")).toBe(false);
  expect(await results()).toEqual(["kept"]);
});
