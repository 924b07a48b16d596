/** One server-sent event: its text as it came, blank line included, and the data in it. */
export interface SentEvent {
  readonly raw: string;
  readonly data: string;
}

/** An event larger than this is no event of a model. */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

/** The events of a stream as they come; what follows the last blank line comes as an event of its own. */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SentEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of bytes) {
    const text = rest + decoder.decode(chunk, { stream: true });
    // A blank line may have begun in what was read before.
    let from = 0;
    const blank = /\r\n\r\n|\n\n|\r\r/g;
    blank.lastIndex = Math.max(0, rest.length - 3);
    for (let found = blank.exec(text); found !== null; found = blank.exec(text)) {
      yield toEvent(text.slice(from, blank.lastIndex));
      from = blank.lastIndex;
    }
    rest = text.slice(from);
    if (rest.length > MAX_EVENT_CHARACTERS) throw new Error("one event of the stream has more than 16 MB");
  }
  rest += decoder.decode();
  if (rest !== "") yield toEvent(rest);
}

function toEvent(raw: string): SentEvent {
  const data = raw
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice("data:".length).replace(/^ /, ""));
  return { raw, data: data.join("\n") };
}
