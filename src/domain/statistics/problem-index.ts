/** The problems of an evaluation by number, so that what is counted per problem fits into plain arrays. */
export class ProblemIndex {
  readonly #positions = new Map<string, number>();
  readonly #ids: string[] = [];
  readonly #tags = new Map<string, number[]>();

  /** The problem's number; the first time that it is seen, its tags are noted. */
  number(problemId: string, tags: readonly string[] = []): number {
    const known = this.#positions.get(problemId);
    if (known !== undefined) return known;
    const position = this.#ids.push(problemId) - 1;
    this.#positions.set(problemId, position);
    for (const tag of new Set(tags)) this.#tagged(tag).push(position);
    return position;
  }

  find(problemId: string): number | undefined {
    return this.#positions.get(problemId);
  }

  get ids(): readonly string[] {
    return this.#ids;
  }

  /** Every tag with the ids of its problems. */
  tags(): ReadonlyMap<string, readonly string[]> {
    const named = [...this.#tags].map(
      ([tag, positions]) => [tag, positions.flatMap((at) => this.#ids[at] ?? [])] as const,
    );
    return new Map(named.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #tagged(tag: string): number[] {
    const known = this.#tags.get(tag) ?? [];
    this.#tags.set(tag, known);
    return known;
  }
}
