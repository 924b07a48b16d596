/** An agent throws this when it gives up: the run is `no_answer`, not an error. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
  readonly code = "no_answer";
}
