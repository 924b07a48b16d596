import * as z from "zod";

const ShareLimit = z.number("expected a share from 0 to 1").min(0).max(1);

/** Conditions on the results of every model; a missed one fails the command that finishes the evaluation. */
export const Gates = z
  .strictObject({
    /** At least this accuracy. */
    accuracy: ShareLimit,
    /** At least this accuracy on the problems with a tag. */
    tags: z.record(z.string(), ShareLimit),
    /** At least this mean of a number that the checker gives. */
    metrics: z.record(z.string(), z.number()),
    /** At least this share of correct trials for every single problem. */
    passRate: ShareLimit,
    /** At most so many percentage points of accuracy less than the baseline. */
    maxDrop: z.number().min(0).max(100),
    /** No statistically significant drop against the baseline. */
    regression: z.boolean(),
  })
  .partial();
export type Gates = z.infer<typeof Gates>;
export type GatesInput = Readonly<z.input<typeof Gates>>;
