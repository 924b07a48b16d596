/** A word as a shell takes it, quoted only when it must be. */
export const shellWord = (word: string): string =>
  /^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
