import { RequestError } from "./request-error.ts";

/** Answers with a text, or with the bytes of it that the `Range` header asks for, as far as one answer goes. */
export function rangedAnswer(
  request: Request,
  text: string,
  type: string,
  maxAnswerBytes: number | null,
): Response {
  const bytes = new TextEncoder().encode(text);
  const most = maxAnswerBytes ?? Number.POSITIVE_INFINITY;
  const headers = { "content-type": type, "accept-ranges": "bytes" };
  const from = firstByte(request.headers.get("range"));
  if (from === null || bytes.length === 0) {
    if (bytes.length <= most) return new Response(bytes, { headers });
    throw new RequestError(
      "answer.too_large",
      `this has ${bytes.length} bytes; ask for parts of it with the header Range: bytes=0-`,
    );
  }
  if (from.start >= bytes.length) {
    return new Response(null, { status: 416, headers: { "content-range": `bytes */${bytes.length}` } });
  }
  const end = Math.min(bytes.length, from.end + 1, from.start + most);
  const range = `bytes ${from.start}-${end - 1}/${bytes.length}`;
  return new Response(bytes.subarray(from.start, end), {
    status: 206,
    headers: { ...headers, "content-range": range },
  });
}

/** Other forms of ranges may be ignored, and are. */
function firstByte(range: string | null): { start: number; end: number } | null {
  const [, start, end] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(range ?? "") ?? [];
  if (start === undefined) return null;
  const last = end ? Number(end) : Number.POSITIVE_INFINITY;
  return last < Number(start) ? null : { start: Number(start), end: last };
}
