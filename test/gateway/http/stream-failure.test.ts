import { expect, test } from "vitest";
import { failureIn } from "../../../src/gateway/http/upstream.ts";

const place = { providerKey: "local", keyVariable: "LOCAL_API_KEY" };
const overloaded = { type: "overloaded_error", message: "Overloaded" };

test.each([
  ["Messages", { type: "error", error: overloaded }, "answered 529: Overloaded", true],
  [
    "Messages, for the rate",
    { type: "error", error: { type: "rate_limit_error", message: "Slow" } },
    "429",
    true,
  ],
  ["Responses", { type: "error", code: "rate_limit_exceeded", message: "Slow down" }, "429: Slow down", true],
  ["a failed response", { response: { error: { code: "server_error", message: "Oh" } } }, "500: Oh", true],
  ["Chat Completions", { error: { message: "Bad", type: "invalid_request_error" } }, "400: Bad", false],
  ["no money", { error: { message: "Pay", code: "insufficient_quota" } }, "429: Pay", false],
  ["Gemini", { error: { code: 503, status: "UNAVAILABLE", message: "Busy" } }, "503: Busy", true],
])("an error in a stream of %s", (_of, piece, message, retryable) => {
  expect(failureIn(place, piece)).toMatchObject({ message: expect.stringContaining(message), retryable });
});

test.each([
  [undefined],
  [{ choices: [] }],
  [{ type: "response.created", response: { error: null } }],
  [{ type: "message_delta", delta: { message: "error" } }],
  [{ error: null, choices: [] }],
])("no error: %j", (piece) => {
  expect(failureIn(place, piece)).toBeNull();
});
