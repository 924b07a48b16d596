import { EvaluatorError } from "../../domain/errors.ts";
import type { Digest } from "../../domain/ids.ts";
import type { Problem } from "../../domain/problem.ts";

/** Choice among a definition's problems; what is said together narrows it down from top to bottom. */
export interface ProblemChoice {
  readonly problemIds?: readonly string[];
  /** Those with any of these tags. */
  readonly tags?: readonly string[];
  /** So many by chance, the same ones whenever the seed is the same, wherever they stand in the list. */
  readonly sample?: number;
  readonly seed?: number;
  /** The first so many. */
  readonly limit?: number;
}

/** The chosen ones in the order of the list, which is read only as far as it has to be. */
export async function chooseProblems(
  problems: AsyncIterable<Problem> | Iterable<Problem>,
  choice: ProblemChoice,
  digest: Digest,
): Promise<readonly Problem[]> {
  const { problemIds, tags, sample, seed = 1, limit = Number.POSITIVE_INFINITY } = choice;
  const missing = new Set(problemIds);
  const seen: Problem[] = [];
  const chosen: Problem[] = [];
  const isEnough = () =>
    sample === undefined && (chosen.length >= limit || (problemIds !== undefined && missing.size === 0));
  for await (const problem of problems) {
    if (isEnough()) break;
    seen.push(problem);
    const isNamed = missing.delete(problem.id) || problemIds === undefined;
    if (isNamed && isTagged(problem, tags)) chosen.push(problem);
  }
  const [unknown] = missing;
  if (unknown !== undefined && chosen.length < limit) throw unknownProblem(unknown, seen);
  if (tags !== undefined && chosen.length === 0) throw unknownTags(tags, seen);
  return draw(chosen, sample, seed, digest).slice(0, limit);
}

const isTagged = (problem: Problem, tags: readonly string[] | undefined): boolean =>
  tags === undefined || tags.some((tag) => problem.tags.includes(tag));

/** By a hash of each problem's own id, so that a larger sample holds the smaller one and other problems change little. */
function draw(
  problems: readonly Problem[],
  sample: number | undefined,
  seed: number,
  digest: Digest,
): readonly Problem[] {
  if (sample === undefined || sample >= problems.length) return problems;
  const lots = new Map(problems.map(({ id }) => [id, digest(`${seed} ${id}`)]));
  const lotOf = ({ id }: Problem) => lots.get(id) ?? "";
  const drawn = new Set(problems.toSorted((a, b) => (lotOf(a) < lotOf(b) ? -1 : 1)).slice(0, sample));
  return problems.filter((problem) => drawn.has(problem));
}

function unknownProblem(id: string, problems: readonly Problem[]): EvaluatorError {
  const some = problems.slice(0, 5).map((problem) => problem.id);
  return new EvaluatorError(
    "problem.unknown",
    `there is no problem "${id}"; the first ids are ${some.join(", ") || "none"}`,
  );
}

function unknownTags(tags: readonly string[], problems: readonly Problem[]): EvaluatorError {
  const known = [...new Set(problems.flatMap((problem) => problem.tags))].slice(0, 10);
  return new EvaluatorError(
    "problem.unknown_tag",
    `no problem has the tag ${tags.map((tag) => `"${tag}"`).join(" or ")}; the tags are ${known.join(", ") || "none"}`,
  );
}
