// Loaded in a definition's own process too, without zod.
import { type Json, toStored, whyNoMetadata } from "../json.ts";

/** A problem as a user wrote it, in its parts, or what is wrong with it. */
type ReadItem =
  | {
      readonly kind: "parts";
      readonly problem: Json;
      readonly expected: Json;
      readonly id?: string | undefined;
      readonly tags: readonly string[];
      readonly metadata?: Json | undefined;
    }
  | { readonly kind: "refused"; readonly path: string; readonly why: string };

/** An item that was taken apart elsewhere, in the process of its definition. */
export class ItemParts {
  readonly parts: ReadItem;

  constructor(parts: ReadItem) {
    this.parts = parts;
  }
}

/** Takes apart an item, `[problem, expected]` or `{ problem, expected, id, tags, metadata }`, as the JSON that will be stored. */
export function readItem(item: unknown): ReadItem {
  const parts = split(item);
  if (parts.kind === "refused") return parts;
  const { problem, expected, metadata, ...rest } = parts;
  const why = whyNoMetadata(metadata);
  if (why !== null) return refuseItem("metadata", why);
  const problemText = toStored(problem, "problem");
  if (problemText.kind === "unstorable") return refuseItem("problem", `cannot be stored: ${problemText.why}`);
  const expectedText = toStored(expected ?? null, "expected");
  if (expectedText.kind === "unstorable")
    return refuseItem("expected", `cannot be stored: ${expectedText.why}`);
  return {
    ...rest,
    problem: JSON.parse(problemText.text) as Json,
    expected: JSON.parse(expectedText.text) as Json,
    ...(metadata === undefined ? {} : { metadata: JSON.parse(JSON.stringify(metadata)) as Json }),
  };
}

interface Parts {
  readonly kind: "parts";
  readonly problem: unknown;
  readonly expected?: unknown;
  readonly id?: string;
  readonly tags: readonly string[];
  readonly metadata?: unknown;
}

type Refused = Extract<ReadItem, { kind: "refused" }>;

export const refuseItem = (path: string, why: string): Refused => ({ kind: "refused", path, why });

function split(item: unknown): Parts | Refused {
  if (Array.isArray(item)) {
    if (item.length === 2) return { kind: "parts", problem: item[0], expected: item[1], tags: [] };
    return { kind: "parts", problem: item, tags: [] };
  }
  if (item === null || typeof item !== "object" || !("problem" in item)) {
    return { kind: "parts", problem: item, tags: [] };
  }
  return splitNamed(item as Record<string, unknown>);
}

const NAMES = new Set(["problem", "expected", "id", "tags", "metadata"]);

function splitNamed(item: Record<string, unknown>): Parts | Refused {
  const unknown = Object.keys(item).find((key) => !NAMES.has(key));
  if (unknown !== undefined) {
    const known = "problem, expected, id, tags and metadata";
    return refuseItem(unknown, `is not one of ${known}; put it inside problem or metadata`);
  }
  const { id, tags } = item;
  if (id !== undefined && typeof id !== "string")
    return refuseItem("id", `expected a string, got ${typeof id}`);
  const named = tags ?? [];
  if (!Array.isArray(named) || !named.every((tag) => typeof tag === "string")) {
    return refuseItem("tags", "expected a list of strings");
  }
  return {
    kind: "parts",
    problem: item.problem,
    expected: item.expected,
    ...(id === undefined ? {} : { id }),
    tags: named,
    metadata: item.metadata,
  };
}
