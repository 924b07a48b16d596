import * as z from "zod";
import { EvaluationId } from "../../domain/ids.ts";
import { sha256 } from "../digest.ts";

/** What EventBridge Scheduler sends; a second delivery says the same. */
export const ScheduleEvent = z.object({ evaluation: z.string().min(1), scheduledAt: z.iso.datetime() });
export type ScheduleEvent = z.infer<typeof ScheduleEvent>;

/** Made of definition and date, so that what is delivered twice starts once. */
export function scheduledId({ evaluation, scheduledAt }: ScheduleEvent): EvaluationId {
  const word = evaluation
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 24);
  const at = new Date(scheduledAt).toISOString().slice(0, 16).replaceAll(/[-:]/g, "").toLowerCase();
  // Names that differ elsewhere are told apart too.
  return EvaluationId.parse(`${word || "evaluation"}-${at}-${sha256(evaluation).slice(0, 6)}`);
}
