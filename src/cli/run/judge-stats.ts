import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import { EXIT } from "../exit-code.ts";
import type { Host } from "../host.ts";
import { nothingScored } from "../report/nothing-scored.ts";
import { printLines, printWhole } from "../screen.ts";
import { missedThreshold } from "./threshold.ts";

interface Judging {
  readonly host: Host;
  readonly flags: {
    readonly quiet: boolean;
    readonly json: boolean;
    readonly "min-accuracy"?: number | undefined;
  };
}

/** The exit code that an evaluation earns which ran to its end; without any scored run something broke. */
export function judgeStats({ host, flags }: Judging, stats: Readonly<Record<ModelKey, ModelStats>>): number {
  const unscored = nothingScored(stats, Number.POSITIVE_INFINITY);
  // A summary says it by itself.
  if (flags.quiet || flags.json) printWhole(host.stderr, unscored);
  const missed = missedThreshold(stats, flags["min-accuracy"]);
  printLines(host.stderr, missed);
  if (unscored.length > 0) return EXIT.broke;
  return missed.length > 0 ? EXIT.threshold : EXIT.done;
}
