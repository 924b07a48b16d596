/** A text that may be larger than one answer, piece by piece. */
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
