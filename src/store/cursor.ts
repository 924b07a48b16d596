import * as z from "zod";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import { parseJson } from "../domain/parse-json.ts";

/** Where a page begins, as a text that says nothing to whoever holds it. */
export interface Cursor<Place> {
  write(place: Place): string;
  /** Null for a first page. */
  read(text: string | undefined): Place | null;
}

/** A cursor of one kind of page is refused by another. */
export function cursor<Place>(kind: string, place: z.ZodType<Place>): Cursor<Place> {
  const Inside = z.object({ kind: z.literal(kind), place });
  return {
    write: (value) => Buffer.from(JSON.stringify({ kind, place: value })).toString("base64url"),
    read: (text) => {
      if (text === undefined) return null;
      const inside = Inside.safeParse(parseJson(Buffer.from(text, "base64url").toString()));
      if (!inside.success) throw badCursor(text);
      return inside.data.place;
    },
  };
}

const badCursor = (text: string): EvaluatorError =>
  new EvaluatorError(
    "store.bad_cursor",
    `${JSON.stringify(text.slice(0, 100))} is no cursor of such a list; begin again without one, and pass on what a page gives as its next`,
  );
