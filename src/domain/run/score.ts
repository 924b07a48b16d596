/** Scores are added up in whole millionths; within this bound thousands of them stay exact. */
export const MAX_SCORE = 1_000_000;

/** Whether a checker's score is a number that a mean can be made of. */
export const isScore = (value: unknown): value is number =>
  typeof value === "number" && Math.abs(value) <= MAX_SCORE;
