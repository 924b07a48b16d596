import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { AgentEvaluator, defineTool, judge, SimpleAgent } from "../../../src/index.ts";
import type { SentRequest } from "../../fixtures/models/model-server.ts";
import { startedModelServer } from "../../fixtures/models/started-model-server.ts";
import { inProcess } from "../../fixtures/run/in-process-options.ts";
import { anthropicAnswer } from "./wire.ts";

const started = startedModelServer();
const THOUGHT = { type: "thinking", thinking: "", signature: "c2lnbmVk" };

/** What the newest Claudes refuse: a forced tool, and thinking after a change unless it may be dropped. */
function refusalOf({ body, headers }: SentRequest): string | null {
  if (["tool", "any"].includes(body.tool_choice?.type)) return "tool_choice forces tool use";
  if (body.thinking?.block_binding?.prefix_mismatch_behavior !== "drop_block")
    return "The block is bound to a different conversation.";
  if (!String(headers["anthropic-beta"]).includes("thinking-binding-controls"))
    return "block_binding: Extra inputs are not permitted";
  return null;
}

/** Plays a Claude that reads a page, delivers its answer when it is told to, and judges when it is a judge. */
function answer(request: SentRequest): object {
  const { tools, messages } = request.body as {
    tools: { name: string }[];
    messages: { content: { text?: string }[] }[];
  };
  const use = (name: string, input: object) => ({
    type: "tool_use",
    id: `toolu_${messages.length}`,
    name,
    input,
  });
  if (tools.some(({ name }) => name === "verdict"))
    return anthropicAnswer(
      [THOUGHT, use("verdict", { reason: "It is.", correct: true, score: 1 })],
      "tool_use",
    );
  const isTold = messages.at(-1)?.content.some(({ text = "" }) => text.includes("the tool finish")) ?? false;
  const next = isTold ? use("finish", { value: "Lima" }) : use("read", { page: messages.length });
  return anthropicAnswer([THOUGHT, next], "tool_use");
}

beforeEach(() => {
  started.server.disturb = (request) => {
    const message = refusalOf(request);
    if (message === null) return { kind: "raw", body: answer(request) };
    return {
      kind: "raw",
      status: 400,
      body: { type: "error", error: { type: "invalid_request_error", message } },
    };
  };
});
test("an agent at its limits and a judge work with a Claude that cannot be made to call a tool", async () => {
  const read = defineTool({
    name: "read",
    description: "Reads a page.",
    input: z.object({ page: z.int() }),
    run: () => "a long page ".repeat(200),
  });
  const evaluator = new AgentEvaluator(
    inProcess({
      models: [["anthropic", "claude-opus-5-5"]],
      buildAgent: (provider, model, _tools, problem) =>
        new SimpleAgent({
          ...{ name: "Reader", objective: String(problem), provider, model, tools: [read] },
          ...{ maxToolCalls: 2, contextTokens: 100, outputSchema: z.object({ value: z.string() }) },
        }),
      resultChecker: judge({ provider: "anthropic", model: "claude-sonnet-5-5", rubric: "It is right." }),
    }),
  );
  const [entry] = (await evaluator.evaluate()).logs;
  if (entry === undefined) throw new Error("no entry");
  expect(entry).toMatchObject({ failure: null, result: { value: "Lima" }, correct: true });
  const { transcript } = await evaluator.loadBody(entry);
  const notes = transcript.flatMap((step) => (step.kind === "note" ? [step.text] : []));
  expect(notes).toContain("claude-opus-5-5 cannot be made to call a tool: the prompt asks for it instead");
  expect(notes.some((note) => note.includes("lost"))).toBe(true);
});
