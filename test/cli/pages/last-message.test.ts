import { expect, test } from "vitest";
import { lastMessage } from "../../../src/cli/pages/run-page.ts";

const user = (content: string) => ({ role: "user", content });
const result = { type: "tool_result", tool_use_id: "1", content: "$40" };

test.each([
  ["our own", { messages: [user("Hello"), user("Price?")] }, "user", "Price?"],
  ["a tool's result", { messages: [{ role: "tool", content: "$40" }] }, "tool", "$40"],
  [
    "Chat parts",
    { messages: [{ role: "user", content: [{ type: "text", text: "Price?" }] }] },
    "user",
    "Price?",
  ],
  [
    "a result in Messages",
    { messages: [{ role: "user", content: [result] }] },
    "user",
    JSON.stringify([result]),
  ],
  ["Responses, in short", { input: "Price?" }, "user", "Price?"],
  [
    "Responses",
    { input: [{ role: "user", content: [{ type: "input_text", text: "Price?" }] }] },
    "user",
    "Price?",
  ],
  [
    "a result in Responses",
    { input: [{ type: "function_call_output", call_id: "1", output: "$40" }] },
    "function_call_output",
    "$40",
  ],
  ["Gemini", { contents: [{ role: "user", parts: [{ text: "One" }, { text: "Two" }] }] }, "user", "One\nTwo"],
])("the last message of a request as %s writes it", (_api, request, role, content) => {
  expect(lastMessage(request)).toEqual({ role, content });
});

test.each([[{}], [{ messages: [] }], ["text"], [null]])("%j has none", (request) => {
  expect(lastMessage(request)).toBeNull();
});
