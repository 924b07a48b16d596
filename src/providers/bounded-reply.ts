import { LevelCounter, MAX_TEXT_LEVELS } from "../domain/json.ts";
import { ProviderError } from "./provider-error.ts";

/** A reply larger than this is no reply of a model. */
export const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/** The same answer, whose body breaks off where it gets larger or deeper than what anybody reads of a model. */
export function boundedReply(answer: Response): Response {
  if (answer.body === null) return answer;
  const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
  const levels = new LevelCounter(isStream);
  let bytes = 0;
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      levels.add(chunk);
      if (bytes > MAX_REPLY_BYTES) throw tooMuch(`has more than ${MAX_REPLY_BYTES / 1024 / 1024} MB`);
      if (levels.deepest > MAX_TEXT_LEVELS) throw tooMuch(`is nested deeper than ${MAX_TEXT_LEVELS} levels`);
      controller.enqueue(chunk);
    },
  });
  return new Response(answer.body.pipeThrough(watch), answer);
}

const tooMuch = (what: string): ProviderError =>
  new ProviderError("limit", `the model's server sent a reply that ${what}`, { retryable: false });
