import type { EvaluationRecord } from "../../domain/evaluation.ts";

export interface EvaluationSearch {
  /** Looked for by the server, among all there are. */
  readonly tag: string | null;
  /** Each is somewhere in the id, the name, a tag, a model or the status. */
  readonly words: readonly string[];
}

/** `tag:nightly capit` is a tag, and the beginning of something. */
export function readSearch(typed: string): EvaluationSearch {
  const all = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const tag = /(?:^|\s)tag:(\S+)/i.exec(typed)?.[1] ?? null;
  return { tag, words: all.filter((word) => !word.startsWith("tag:")) };
}

export function fitsSearch(
  { id, name, tags, models, status }: EvaluationRecord,
  { words }: EvaluationSearch,
): boolean {
  const keys = models.map(({ providerKey, model }) => `${providerKey}/${model}`);
  const texts = [id, name, status, ...tags, ...keys].map((text) => text.toLowerCase());
  return words.every((word) => texts.some((text) => text.includes(word)));
}
