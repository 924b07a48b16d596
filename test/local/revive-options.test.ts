import { describe, expect, test } from "vitest";
import { DefinitionSource } from "../../src/child/send-definition.ts";
import { SentDefinition } from "../../src/isolation/isolation.ts";
import { reviveOptions } from "../../src/local/revive-options.ts";

/** What arrives of a definition that was read in a process of its own. */
const sent = (options: unknown): SentDefinition =>
  SentDefinition.parse(JSON.parse(JSON.stringify(new DefinitionSource(options).describe())));

describe("a definition that was read in a process of its own", () => {
  test("keeps the names of its variants, whatever their values are", () => {
    const variants = { current: undefined, shorter: "be brief", agent: () => 1, deep: { date: new Date() } };
    expect(Object.keys(reviveOptions(sent({ variants })).variants ?? {})).toEqual(Object.keys(variants));
  });

  test("says of a cycle that it is one, however many ways lead round it", () => {
    const [a, b]: Record<string, unknown>[] = [{}, {}];
    Object.assign(a ?? {}, { b, self: a });
    Object.assign(b ?? {}, { a, self: b });
    const { others } = sent({ prices: { a } });
    expect(others).toContainEqual({ path: ["prices", "a", "self"], text: "a cycle" });
    expect(others).toHaveLength(3);
  });

  test.each([
    [["__proto__", "toJSON"]],
    [["constructor", "prototype", "toJSON"]],
    [["limits", "__proto__", "toJSON"]],
    [["limits", "constructor", "prototype", "toJSON"]],
  ])("puts nothing at %j into the evaluator's own objects", (path) => {
    const lie = { ...sent({ limits: {} }), functions: [path], others: [{ path, text: "NaN" }] };
    reviveOptions(lie);
    expect(Reflect.get({}, "toJSON")).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
