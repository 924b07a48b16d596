import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { startedModelServer } from "../fixtures/models/started-model-server.ts";
import { runFile } from "../fixtures/run/run-file.ts";
import { chatAnswer } from "../providers/openai/chat-completions-wire.ts";

const models = startedModelServer();
const picture = (name: string) =>
  readFileSync(join(import.meta.dirname, `../../src/web/screenshots/${name}.png`)).toString("base64");

test("images of a problem and of a tool reach the model, and the transcript has their lengths", async () => {
  vi.stubEnv("LOCAL_BASE_URL", `${models.server.url}/v1`);
  const call = { id: "call_1", type: "function", function: { name: "zoom", arguments: "{}" } };
  models.server.answerNext({ kind: "raw", body: chatAnswer({ tool_calls: [call] }, "tool_calls") });
  models.server.answerNext({ kind: "raw", body: chatAnswer({ content: "a page" }, "stop") });
  const { logs, store } = await runFile("images");
  expect(logs).toMatchObject([{ failure: null, correct: true }]);
  const images = models.server.last.body.messages
    .flatMap(({ content }: { content: unknown }) => (Array.isArray(content) ? content : []))
    .flatMap((part: { image_url?: { url: string } }) => part.image_url?.url ?? []);
  expect(images).toEqual(["evaluation", "run"].map((name) => `data:image/png;base64,${picture(name)}`));
  const [entry] = logs;
  const body = entry && (await store.readBody(entry.evaluationId, entry.runId, entry.round));
  const kept = JSON.stringify(body?.transcript);
  expect(kept).toContain(`[${picture("run").length} characters]`);
  expect(kept.length).toBeLessThan(10_000);
});
