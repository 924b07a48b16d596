import type * as z from "zod";
import { type Checker, type Finding, right, wrong } from "./checker.ts";

/** The whole result is what the zod schema asks for. */
export const schema =
  (wanted: z.ZodType): Checker =>
  async (result): Promise<Finding> => {
    const checked = await wanted.safeParseAsync(result);
    if (checked.success) return right("has the expected shape");
    const lines = checked.error.issues.map(
      ({ path, message }) => `${path.map(String).join(".") || "the result"}: ${message}`,
    );
    return wrong(lines.join("; "));
  };
