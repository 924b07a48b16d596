import { describe, expect, test } from "vitest";
import { z } from "zod";
import { NoAnswerError, type Tool } from "../../src/agent/agent.ts";
import { SimpleAgent, type SimpleAgentOptions } from "../../src/agent/simple-agent.ts";
import { defineTool } from "../../src/agent/tools.ts";
import type { Message } from "../../src/providers/provider.ts";
import { aRunContext, notesOf } from "../fixtures/agent/a-run-context.ts";
import { calling, finishing, type Play, playedProvider } from "../fixtures/agent/played-provider.ts";

const double = defineTool({
  name: "double",
  description: "Doubles a number.",
  input: z.object({ n: z.number() }),
  run: ({ n }) => n * 2,
});

function anAgent(plays: readonly Play[], options: Partial<SimpleAgentOptions> = {}) {
  const provider = playedProvider(...plays);
  const agent = new SimpleAgent({
    name: "Tester",
    objective: "Find the value.",
    provider,
    model: "m",
    outputSchema: z.object({ value: z.string() }),
    ...options,
  });
  return { agent, provider, context: aRunContext() };
}

const image = { kind: "image", mediaType: "image/png", base64: "iVBORw0KGgo=" } as const;

const textOf = (message: Message | undefined): unknown => message?.content;
const toolTexts = (messages: readonly Message[] = []): unknown[] =>
  messages.filter(({ role }) => role === "tool").map(textOf);

describe("the answer", () => {
  test("is the value that the finish tool delivers", async () => {
    const { agent, provider, context } = anAgent([finishing({ value: "Lima" })]);
    expect(await agent.run(context)).toEqual({ value: "Lima" });
    expect(provider.requests[0]).toMatchObject({ model: "m", toolChoice: "auto" });
    expect(provider.requests[0]?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
  });

  test.each([
    ["by default", {}, true],
    ["unless it is switched off", { cache: false }, false],
  ])("comes from prompts that providers may cache %s", async (_, options, cache) => {
    const { agent, provider, context } = anAgent([finishing({ value: "Lima" })], options);
    await agent.run(context);
    expect(provider.requests[0]?.cache).toBe(cache);
  });

  test("may be described by JSON Schema", async () => {
    const outputSchema = { type: "object", properties: { value: { type: "string" } }, required: ["value"] };
    const plays = [finishing({ value: 1 }), finishing({ value: "Lima" })];
    const { agent, provider, context } = anAgent(plays, { outputSchema });
    expect(await agent.run(context)).toEqual({ value: "Lima" });
    expect(provider.requests[0]?.tools).toEqual([
      expect.objectContaining({ name: "finish", inputSchema: outputSchema }),
    ]);
  });

  test.each([
    ["a text", z.string(), "Lima"],
    ["a list", z.array(z.int()), [1, 2]],
    ["a choice", z.union([z.object({ a: z.int() }), z.object({ b: z.int() })]), { b: 2 }],
    ["a text by JSON Schema", { type: "string" }, "Lima"],
  ])("may be %s, though a tool takes an object", async (_, outputSchema, value) => {
    const { agent, provider, context } = anAgent([finishing({ value })], { outputSchema });
    expect(await agent.run(context)).toEqual(value);
    expect(provider.requests[0]?.tools?.[0]?.inputSchema).toMatchObject({
      type: "object",
      required: ["value"],
    });
  });

  test("gets one repair round with the validation error", async () => {
    const { agent, provider, context } = anAgent([finishing({ value: 1 }), finishing({ value: "1" })]);
    expect(await agent.run(context)).toEqual({ value: "1" });
    expect(textOf(provider.requests[1]?.messages.at(-1))).toBe(
      "The answer does not fit: value: Invalid input: expected string, received number",
    );
    expect(notesOf(context)).toEqual([expect.stringContaining("expected string, received number")]);
  });

  test("that does not fit twice is none", async () => {
    const { agent, provider, context } = anAgent([finishing({}), finishing({ value: 2 })]);
    const failed = agent.run(context);
    await expect(failed).rejects.toThrow(NoAnswerError);
    await expect(failed).rejects.toThrow("does not fit the output schema: value: Invalid input");
    expect(provider.requests).toHaveLength(2);
  });

  test("in plain text is asked for again as a finish", async () => {
    const { agent, provider, context } = anAgent([{ content: "It is Lima." }, finishing({ value: "Lima" })]);
    expect(await agent.run(context)).toEqual({ value: "Lima" });
    expect(provider.requests[1]?.messages.slice(-2)).toEqual([
      { role: "assistant", content: "It is Lima.", toolCalls: [] },
      { role: "user", content: "Call the finish tool with your answer." },
    ]);
  });

  test.each([
    ["JSON", z.object({ value: z.string() }), '{"value":"Lima"}', { value: "Lima" }],
    [
      "JSON in a fence",
      z.object({ value: z.string() }),
      'Here:\n```json\n{"value":"Lima"}\n```',
      { value: "Lima" },
    ],
    ["a list", z.array(z.int()), "[1, 2]", [1, 2]],
    ["what the tool would take", z.array(z.int()), '{"value":[1, 2]}', [1, 2]],
    ["words where words are wanted", z.string(), " It is Lima.\n", "It is Lima."],
    ["digits where words are wanted", { type: "string" }, "42", "42"],
    ["a choice", z.enum(["yes", "no"]), "yes", "yes"],
  ])("in plain text is taken when it is %s that fits", async (_, outputSchema, content, value) => {
    const { agent, provider, context } = anAgent([{ content }], { outputSchema });
    expect(await agent.run(context)).toEqual(value);
    expect(provider.requests).toHaveLength(1);
    expect(notesOf(context)).toEqual(["the model answered in text instead of calling finish; the text fits"]);
  });

  test.each([
    ["cut off", { content: "It is Li", finishReason: "length" as const }],
    ["empty", { content: " " }],
    ["of another shape", { content: '{"city":"Lima"}' }],
  ])("in plain text is not taken when it is %s", async (_, play) => {
    const outputSchema = play.content.startsWith("{") ? z.object({ value: z.string() }) : z.string();
    const { agent, context } = anAgent([play, finishing({ value: "Lima" })], { outputSchema });
    await agent.run(context);
    expect(notesOf(context)).toEqual([]);
  });

  test("in plain text is taken from a model that had to finish", async () => {
    const { agent, context } = anAgent([{ content: '{"value":"Lima"}' }], { maxIterations: 1 });
    expect(await agent.run(context)).toEqual({ value: "Lima" });
  });

  test("that was cut off is asked for again, shorter", async () => {
    const plays = [{ content: "It is", finishReason: "length" as const }, finishing({ value: "Lima" })];
    const { agent, provider, context } = anAgent(plays);
    await agent.run(context);
    expect(textOf(provider.requests[1]?.messages.at(-1))).toContain("cut off");
  });

  test("of a model that refuses is none", async () => {
    const refusal = { content: "I cannot help with that.", finishReason: "refusal" as const };
    const { agent, context } = anAgent([refusal]);
    await expect(agent.run(context)).rejects.toThrow("the model refused: I cannot help with that.");
  });

  test("is found anew by each run of one agent", async () => {
    const { agent, provider, context } = anAgent([finishing({ value: "1" }), finishing({ value: "2" })]);
    expect([await agent.run(context), await agent.run(context)]).toEqual([{ value: "1" }, { value: "2" }]);
    expect(provider.requests[1]?.messages).toEqual(provider.requests[0]?.messages);
  });
});

describe("tools", () => {
  test("answer the model and stand in the transcript", async () => {
    const plays = [calling(["double", { n: 21 }]), finishing({ value: "42" })];
    const { agent, provider, context } = anAgent(plays, { tools: [double] });
    expect(await agent.run(context)).toEqual({ value: "42" });
    expect(toolTexts(provider.requests[1]?.messages)).toEqual(["42"]);
    expect(context.steps).toEqual([
      { kind: "tool_call", id: expect.any(String), tool: "double", input: { n: 21 } },
      { kind: "tool_result", id: expect.any(String), tool: "double", output: "42", isError: false },
    ]);
  });

  test("of one reply run side by side, and answer in its order", async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const meet: Tool = {
      name: "meet",
      description: "Waits until both calls are there.",
      inputSchema: { type: "object" },
      async run(input) {
        const { me } = input as { me: number };
        gates[me]?.resolve();
        await gates[1 - me]?.promise;
        return `met as ${me}`;
      },
    };
    const plays = [calling(["meet", { me: 0 }], ["meet", { me: 1 }]), finishing({ value: "both" })];
    const { agent, provider, context } = anAgent(plays, { tools: [meet] });
    await agent.run(context);
    expect(toolTexts(provider.requests[1]?.messages)).toEqual(["met as 0", "met as 1"]);
  });

  test.each<[string, Tool["run"] | null, string]>([
    [
      "throws",
      () => {
        throw new Error("the disk is full");
      },
      "the disk is full",
    ],
    ["throws no error", () => Promise.reject("nothing"), "nothing"],
    ["gives what is no JSON", () => 1n, "Do not know how to serialize a BigInt"],
    ["does not exist", null, 'there is no tool "odd"; the tools are: even'],
  ])("that %s answers the model with the error", async (_, run, text) => {
    const tool = {
      name: run === null ? "even" : "odd",
      description: "",
      inputSchema: {},
      run: run ?? (() => 1),
    };
    const plays = [calling(["odd", {}]), finishing({ value: "x" })];
    const { agent, provider, context } = anAgent(plays, { tools: [tool] });
    expect(await agent.run(context)).toEqual({ value: "x" });
    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({
      role: "tool",
      isError: true,
      content: text,
    });
    expect(context.steps.at(-1)).toMatchObject({ kind: "tool_result", isError: true });
  });

  test("tell the model which input does not fit", async () => {
    const plays = [calling(["double", { n: "x" }], ["double", "{ n: 1"]), finishing({ value: "x" })];
    const { agent, provider, context } = anAgent(plays, { tools: [double] });
    await agent.run(context);
    expect(toolTexts(provider.requests[1]?.messages)).toEqual([
      "the input does not fit: n: Invalid input: expected number, received string",
      "the input does not fit: Invalid input: expected object, received string",
    ]);
  });

  test("beside a finish are not run", async () => {
    const plays = [calling(["double", { n: 1 }], ["finish", { value: "x" }])];
    const { agent, context } = anAgent(plays, { tools: [double] });
    expect(await agent.run(context)).toEqual({ value: "x" });
    expect(context.steps).toEqual([]);
  });

  test("that take longer than they may answer the model with that, and hear that they should stop", async () => {
    const signals: AbortSignal[] = [];
    const slow = defineTool({
      ...{ name: "slow", description: "Never ends.", timeoutSeconds: 0.01 },
      input: z.object({}),
      run(_, { signal }) {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    const { agent, provider, context } = anAgent([calling(["slow", {}]), finishing({ value: "x" })], {
      tools: [slow],
    });
    expect(await agent.run(context)).toEqual({ value: "x" });
    expect(toolTexts(provider.requests[1]?.messages)).toEqual([
      "slow did not answer within 0.01 s (timeoutSeconds)",
    ]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test.each([
    ["an image", image, [image]],
    [
      "texts and images",
      [{ kind: "text", text: "A map:" }, image],
      [{ kind: "text", text: "A map:" }, image],
    ],
  ])(
    "that answer with %s show it to the model, and the transcript has no bytes of it",
    async (_, said, content) => {
      const look = defineTool({ name: "look", description: "Looks.", input: z.object({}), run: () => said });
      const plays = [calling(["look", {}]), finishing({ value: "x" })];
      const { agent, provider, context } = anAgent(plays, { tools: [look] });
      await agent.run(context);
      expect(toolTexts(provider.requests[1]?.messages)).toEqual([content]);
      expect(JSON.stringify(context.steps)).toContain("[image image/png]");
      expect(JSON.stringify(context.steps)).not.toContain(image.base64);
    },
  );

  test("that answer with what only looks like an image give JSON", async () => {
    const said = [{ kind: "image", url: "x" }, image];
    const look = defineTool({ name: "look", description: "Looks.", input: z.object({}), run: () => said });
    const plays = [calling(["look", {}]), finishing({ value: "x" })];
    const { agent, provider, context } = anAgent(plays, { tools: [look] });
    await agent.run(context);
    expect(toolTexts(provider.requests[1]?.messages)).toEqual([JSON.stringify(said)]);
  });

  test("that answer in time say what they say", async () => {
    const quick = { ...double, timeoutSeconds: 60 };
    const plays = [calling(["double", { n: 1 }], ["double", {}]), finishing({ value: "x" })];
    const { agent, provider, context } = anAgent(plays, { tools: [quick] });
    await agent.run(context);
    expect(toolTexts(provider.requests[1]?.messages)).toEqual([
      "2",
      expect.stringContaining("the input does not fit"),
    ]);
  });

  test.each([
    [[double, double], 'cannot use the name "double" for a tool: two of its tools have it'],
    [[{ ...double, name: "finish" }], 'cannot use the name "finish" for a tool'],
  ])("need names of their own", async (tools, message) => {
    const { agent, context } = anAgent([], { tools });
    await expect(agent.run(context)).rejects.toThrow(message);
  });
});

describe("limits", () => {
  const many = (count: number) =>
    calling(...Array.from({ length: count }, (_, n) => ["double", { n }] as const));
  const calls = (context: ReturnType<typeof aRunContext>) =>
    context.steps.filter(({ kind }) => kind === "tool_call").length;

  test("on tool calls hold before the tools run, then the model has to finish", async () => {
    const plays = [many(2), many(3), finishing({ value: "x" })];
    const { agent, provider, context } = anAgent(plays, { tools: [double], maxToolCalls: 4 });
    expect(await agent.run(context)).toEqual({ value: "x" });
    expect(calls(context)).toBe(4);
    expect(toolTexts(provider.requests[2]?.messages).at(-1)).toBe(
      "not run: the limit of tool calls is reached",
    );
    expect(provider.requests.map(({ toolChoice }) => toolChoice)).toEqual([
      "auto",
      "auto",
      { name: "finish" },
    ]);
    expect(notesOf(context)).toEqual([
      "the limit of 4 tool calls (maxToolCalls) is reached: the model has to finish now",
    ]);
  });

  test("are ten tool calls and twenty model calls by default", async () => {
    const tooMany = anAgent([many(11), finishing({ value: "x" })], { tools: [double] });
    await tooMany.agent.run(tooMany.context);
    expect(calls(tooMany.context)).toBe(10);
    const talker = anAgent(Array<Play>(20).fill({ content: "Hm." }));
    await expect(talker.agent.run(talker.context)).rejects.toThrow(NoAnswerError);
    expect(talker.provider.requests).toHaveLength(20);
    expect(talker.provider.requests.at(-1)?.toolChoice).toEqual({ name: "finish" });
  });

  test.each([
    ["talks", { content: "Hm." }],
    ["calls another tool", calling(["double", { n: 1 }])],
    ["delivers what does not fit", finishing({ value: 1 })],
  ])("end the run without an answer when a forced model %s", async (_, play) => {
    const { agent, provider, context } = anAgent([play], { tools: [double], maxIterations: 1 });
    await expect(agent.run(context)).rejects.toThrow(NoAnswerError);
    expect(provider.requests).toHaveLength(1);
    expect(calls(context)).toBe(0);
  });

  test("leave a repair round while model calls are left", async () => {
    const plays = [many(1), finishing({ value: 1 }), finishing({ value: "1" })];
    const { agent, context } = anAgent(plays, { tools: [double], maxToolCalls: 1 });
    expect(await agent.run(context)).toEqual({ value: "1" });
  });

  test("do not outlive the run: an aborted one asks nobody", async () => {
    const { agent, provider } = anAgent([]);
    const context = aRunContext({ signal: AbortSignal.abort(new Error("over")) });
    await expect(agent.run(context)).rejects.toThrow("over");
    expect(provider.requests).toEqual([]);
  });
});

describe("a model call", () => {
  test("carries the options that are the provider's", async () => {
    const passed: Partial<SimpleAgentOptions> = {
      ...{ maxTokens: 64, temperature: 0.5, topP: 0.5, seed: 7, stop: ["END"], stream: true },
      ...{ reasoningEffort: "low", serviceTier: "flex" },
    };
    const { agent, provider, context } = anAgent([finishing({ value: "x" })], passed);
    await agent.run(context);
    expect(provider.requests[0]).toMatchObject(passed);
    const plain = anAgent([finishing({ value: "x" })]);
    await plain.agent.run(plain.context);
    expect(Object.keys(plain.provider.requests[0] ?? {}).sort()).toEqual([
      "cache",
      "messages",
      "model",
      "toolChoice",
      "tools",
    ]);
  });

  test("gives back what the provider wants back", async () => {
    const opaque = { thinking: "signed" };
    const plays = [{ ...calling(["double", { n: 1 }]), content: "Hm.", opaque }, finishing({ value: "2" })];
    const { agent, provider, context } = anAgent(plays, { tools: [double] });
    await agent.run(context);
    const said = provider.requests[1]?.messages.find(({ role }) => role === "assistant");
    expect(said).toMatchObject({ content: "Hm.", opaque });
  });

  test("tells the inputs with the objective", async () => {
    const { agent, provider, context } = anAgent([finishing({ value: "x" })], {
      systemPrompt: "Be brief.",
      inputs: { year: 1535 },
    });
    await agent.run(context);
    expect(provider.requests[0]?.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: 'Find the value.\n\nInputs:\n{\n  "year": 1535\n}' },
    ]);
  });

  test("shows the images of the objective", async () => {
    const objective = [{ kind: "text" as const, text: "What is this?" }, image];
    const { agent, provider, context } = anAgent([finishing({ value: "x" })], {
      objective,
      inputs: { n: 1 },
    });
    await agent.run(context);
    expect(provider.requests[0]?.messages[1]).toEqual({
      role: "user",
      content: [...objective, { kind: "text", text: 'Inputs:\n{\n  "n": 1\n}' }],
    });
  });

  test("that fails for another reason ends the run with that reason", async () => {
    const broken = Object.assign(new Error("the server is on fire"), { code: "provider_error" });
    const { agent, context } = anAgent([() => Promise.reject(broken)]);
    await expect(agent.run(context)).rejects.toBe(broken);
  });
});
