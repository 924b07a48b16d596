import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { bundleDefinition } from "../../src/bundle/build-bundle.ts";
import { defaultProviderFactory } from "../../src/child/providers.ts";
import { EvaluatorError } from "../../src/domain/errors.ts";
import { childModule } from "../../src/local/own-files.ts";
import { builtInProviders, checkKeys, KNOWN_PROVIDERS } from "../../src/providers/built-in.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { codeFile } from "../fixtures/bundle/code-file.ts";
import { runFile } from "../fixtures/run/run-file.ts";

const repo = join(import.meta.dirname, "../..");
const SDKS = /openai|@anthropic-ai|@google|@huggingface|@aws-sdk|@smithy|@pydantic/;
const open = async (key: string, variables = {}) =>
  builtInProviders({ clock: systemClock, scripts: {}, variables })(key);

describe("the built-in providers", () => {
  test.each(["nowhere", "openai:x", "openai-compatible", "huggingface:", "toString", ""])(
    "%s is refused with the keys that are known",
    async (key) => {
      await expect(open(key)).rejects.toThrow(
        `unknown provider "${key}"; the providers are ${KNOWN_PROVIDERS.join(", ")}`,
      );
    },
  );

  test.each([
    ["openai", "OPENAI_API_KEY"],
    ["huggingface", "HF_TOKEN"],
    ["huggingface:together", "HF_TOKEN"],
    ["openai-compatible:my-local", "MY_LOCAL_BASE_URL"],
    ["openai-compatible:lm.studio2", "LM_STUDIO2_BASE_URL"],
  ])("%s without its variable says to set %s", async (key, variable) => {
    const failure = await open(key, { [variable]: "  " }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EvaluatorError);
    expect(failure).toMatchObject({
      code: "provider.key_missing",
      message: expect.stringContaining(`  ${key}: set ${variable}`),
    });
  });

  test("all that is missing is said at once", () => {
    const check = () =>
      checkKeys(["openai", "huggingface", "openai", "scripted", "openai-compatible:a"], { HF_TOKEN: "hf_x" });
    expect(check).toThrow(/\n {2}openai: set OPENAI_API_KEY\n {2}openai-compatible:a: set A_BASE_URL$/);
  });

  test("whoever starts a script is told how Node reads a file of keys", () => {
    expect(() => checkKeys(["openai"], {})).toThrow(
      "agent-evaluator reads .env, a script needs node --env-file=.env",
    );
  });

  test("keys that are all set pass", () => {
    checkKeys(["openai", "openai-compatible:a", "scripted"], { OPENAI_API_KEY: "k", A_BASE_URL: "http://a" });
  });
});

describe("a missing key", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("ends an evaluation before any run starts", async () => {
    vi.stubEnv("OPENAI_API_KEY", "");
    const store = memoryStore();
    const models = [
      ["scripted", "wrapped"],
      ["openai", "gpt-5-mini"],
    ] as const;
    const { providerFactory: _own, ...recipe } = (await import("../fixtures/evals/own-providers.eval.ts"))
      .default;
    const { runEvaluation } = await import("../../src/local/run-evaluation.ts");
    const options = { ...recipe, models, isolation: "none" as const };
    await expect(runEvaluation({ options, bundle: null, file: null, store })).rejects.toThrow(
      "OPENAI_API_KEY",
    );
    expect(await store.listEvaluations()).toEqual([]);
  });

  test("in the last of several files keeps the first from running", async () => {
    const folder = await mkdtemp(join(tmpdir(), "keys-"));
    const file = (model: string) => `export default {
      models: [${model}], problems: ["Hello"], scripts: { a: [{ say: "hello" }] },
      buildAgent: () => () => { console.log("ran"); return "x"; }, resultChecker: () => true };`;
    await writeFile(join(folder, "a.eval.ts"), file('["scripted", "a"]'));
    await writeFile(join(folder, "b.eval.ts"), file('["huggingface:together", "b/c"]'));
    const args = [join(repo, "src/cli/main.ts"), "run", "a.eval.ts", "b.eval.ts", "--store", "kept"];
    const env = { PATH: process.env.PATH, HF_TOKEN: "" };
    const ended = await promisify(execFile)(process.execPath, args, { cwd: folder, env }).catch(
      (error: unknown) => error,
    );
    await rm(folder, { recursive: true, force: true });
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended).toMatchObject({ stderr: expect.stringContaining("huggingface:together: set HF_TOKEN") });
  });
});

describe("a factory of the user's own", () => {
  test.each(["process", "none"] as const)(
    "wraps or replaces the default one, and each token counts once (%s)",
    async (isolation) => {
      const { logs } = await runFile("own-providers", { isolation });
      expect(logs.map(({ failure, result, correct }) => ({ failure, result, correct }))).toEqual([
        { failure: null, result: "HELLO", correct: true },
        { failure: null, result: "own", correct: true },
      ]);
      expect(logs[0]?.usage).toMatchObject({ inputTokens: 20, outputTokens: 5 });
      expect(logs[1]?.usage).toMatchObject({ inputTokens: 3, outputTokens: 2 });
    },
  );

  test("gets a provider that calls the model itself outside of runs", async () => {
    await expect(defaultProviderFactory("nowhere")).rejects.toThrow("the providers are openai");
    const { generate } = await defaultProviderFactory("scripted");
    await expect(generate({ model: "m", messages: [] })).rejects.toThrow('no script for the model "m"');
  });
});

describe("the SDKs", () => {
  test("are not loaded until a provider is made", async () => {
    const args = [join(repo, "test/fixtures/processes/programs/print-loaded-packages.ts")];
    const env = { PATH: process.env.PATH, LOCAL_BASE_URL: "http://127.0.0.1:9/v1" };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    const { before, after } = JSON.parse(stdout) as { before: string[]; after: string[] };
    expect(before).toContain("zod");
    expect(before.filter((name) => SDKS.test(name))).toEqual([]);
    expect(after.filter((name) => SDKS.test(name))).toEqual(["openai"]);
  });

  test.each(["evals/quickstart.eval.ts", "test/fixtures/evals/own-providers.eval.ts"])(
    "are not in the bundle of %s",
    async (file) => {
      const bundle = await bundleDefinition(join(repo, file), { childModule: childModule() });
      const text = await readFile(codeFile(bundle), "utf8");
      expect(text).toContain(`// ${file}`);
      const packages = text.match(/node_modules\/(?:@[^/\s]+\/)?[^/\s"]+/g) ?? [];
      expect(packages.filter((name) => SDKS.test(name))).toEqual([]);
      expect(text).not.toMatch(
        /x-stainless|anthropic-version|GoogleGenAI|InferenceClient|BedrockRuntime|input_mtok/,
      );
    },
  );
});
