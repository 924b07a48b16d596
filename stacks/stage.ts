export interface StageSettings {
  readonly removal: "retain" | "remove";
  /** Nothing that holds results can be removed by mistake. */
  readonly isProtected: boolean;
  /** A schedule of a personal stage would go on spending money after its owner forgot it. */
  readonly hasSchedules: boolean;
  readonly hasAlarms: boolean;
  /** How many requests the API can always answer at once, however many runs there are; it never gets more. */
  readonly apiPlaces: number;
  /** In `sst dev` the runner lives on a laptop, where Lambda isolates nobody. */
  readonly hasTenants: boolean;
  readonly logRetention: "1 year" | "1 week";
  /** After it transcripts, output and large results are deleted; null keeps them, which costs a little every month. */
  readonly bodyRetention: "90 days" | null;
}

/** Chooses what differs between stages; nothing else asks which stage it is. */
export function stageSettings(stage: string, isLive: boolean): StageSettings {
  const isProduction = stage === "production";
  return {
    removal: isProduction ? "retain" : "remove",
    isProtected: isProduction,
    hasSchedules: isProduction && !isLive,
    hasAlarms: isProduction && !isLive,
    apiPlaces: isProduction && !isLive ? 20 : 0,
    hasTenants: !isLive,
    logRetention: isProduction ? "1 year" : "1 week",
    bodyRetention: isProduction ? null : "90 days",
  };
}

export const thisStage = (): StageSettings => stageSettings($app.stage, $dev);
