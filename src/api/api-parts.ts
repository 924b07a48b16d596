import type { Clock } from "../domain/clock.ts";
import type { Engine } from "../engine/contract.ts";
import type { Store } from "../store/contract.ts";
import type { OpenApiDocument } from "./open-api.ts";
import type { StatsReader } from "./stats-reader.ts";

/** What the handlers of all routes work with. */
export interface ApiParts {
  readonly store: Store;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly random: () => number;
  readonly stats: StatsReader;
  /** What one answer may hold; null where answers can be streamed without end. */
  readonly maxAnswerBytes: number | null;
  readonly document: () => OpenApiDocument;
}
