/**
 * The one table of the cloud, for those that make and use it. Both indexes carry only what a list of
 * evaluations shows; an entry, which is in the second one by its run, costs it nothing but its keys.
 */
export const TABLE_SHAPE = {
  hashKey: "pk",
  rangeKey: "sk",
  /** Seconds since 1970 after which an item may vanish. */
  ttl: "expiresAt",
  indexes: {
    /** Evaluations, newest first. */
    gsi1: { hashKey: "gsi1pk", rangeKey: "gsi1sk", projection: ["entity", "v", "record"] },
    /** Evaluations of one name, newest first; and the entries of one run, round by round. */
    gsi2: { hashKey: "gsi2pk", rangeKey: "gsi2sk", projection: ["entity", "v", "record"] },
  },
} as const;

export type TableIndex = keyof typeof TABLE_SHAPE.indexes;
