import fc from "fast-check";
import { expect, test } from "vitest";
import { ModelPair, modelKey, readModelKey } from "../../src/domain/model.ts";

test.each([
  ["openai/gpt-5-mini", "openai", "gpt-5-mini"],
  ["huggingface/meta-llama/Llama-3.3-70B", "huggingface", "meta-llama/Llama-3.3-70B"],
  ["bedrock/arn:aws:bedrock:eu/x//y", "bedrock", "arn:aws:bedrock:eu/x//y"],
])("%s is a key", (key, providerKey, model) => {
  expect(readModelKey(key)).toEqual({ providerKey, model });
});

test.each(["", "openai", "/gpt", "openai/", "open ai/gpt", "openai/g p t", "openai/a#b", "a#b/c", "a\n/b"])(
  "%j is no key",
  (text) => {
    expect(readModelKey(text)).toBeNull();
  },
);

test("a key is read back as the model it was made of", () => {
  const pair = fc.tuple(fc.string(), fc.string()).filter((texts) => ModelPair.safeParse(texts).success);
  fc.assert(
    fc.property(pair, ([providerKey, model]) => {
      expect(readModelKey(modelKey({ providerKey, model }))).toEqual({ providerKey, model });
    }),
  );
});

test("the same model of two providers has two keys", () => {
  const keys = ["azure", "openai"].map((providerKey) => modelKey({ providerKey, model: "gpt-5" }));
  expect(new Set(keys).size).toBe(2);
});
