/** How the providers and servers we know say that a conversation is too long for the model. */
const SAYINGS = [
  /context[_ ](?:length|window|size|limit)/i,
  /prompt is too long/i,
  /input is too long/i,
  /too many (?:input )?tokens/i,
  /input token count .*exceeds/i,
  /inputs`? (?:tokens \+|must have less than)/i,
  /exceeds? the (?:model'?s? )?max(?:imum)?(?: number of)? (?:input )?tokens/i,
];

/** Whether a model call failed because the conversation does not fit the model's context. */
export const saysContextOverflow = (error: unknown): error is Error =>
  error instanceof Error &&
  "code" in error &&
  error.code === "provider_error" &&
  SAYINGS.some((saying) => saying.test(error.message));
