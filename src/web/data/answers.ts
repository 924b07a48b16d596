/** Reads a text that may be larger than one answer, piece by piece. */
export async function readByRange(ask: (range: string) => Promise<Response>): Promise<string> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let read = 0;
  for (;;) {
    const answer = await ask(`bytes=${read}-`);
    const piece = new Uint8Array(await answer.arrayBuffer());
    pieces.push(piece);
    read += piece.length;
    const size = Number(answer.headers.get("content-range")?.split("/")[1] ?? read);
    if (answer.status !== 206 || read >= size || piece.length === 0) return new Blob(pieces).text();
  }
}

/** Reports an error status of the API. */
export class FailedAnswer extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const isUnauthorized = (error: unknown): boolean =>
  error instanceof FailedAnswer && (error.status === 401 || error.status === 403);

/** Retries what got lost on the way, but not what the server refused. */
export const retryRule = (failures: number, error: unknown): boolean =>
  failures < 3 && !(error instanceof FailedAnswer && error.status >= 400 && error.status < 500);
