import * as z from "zod";
import { knownUsage } from "../domain/run/amounts.ts";
import type { CallUsage } from "../domain/run/usage.ts";
import type { UsageReport } from "./provider.ts";

const count = z.int().nonnegative().nullish();
type Count = z.infer<typeof count>;
/** Only compared with what is counted. */
const total = count.catch(null);

const PARTS = ["input", "output", "cached", "reasoning", "written", "writtenForAnHour"] as const;

/** What a reply counted, with cached and written tokens in the input and reasoning in the output. */
type Counts = Record<"input" | "output", Count> & Partial<Record<(typeof PARTS)[number] | "total", Count>>;

/** Null where a reply counted nothing, or what cannot be: then nobody knows what it used. */
function toUsage({ input, output, cached, reasoning, written, writtenForAnHour }: Counts): CallUsage | null {
  if (input == null && output == null) return null;
  return knownUsage({
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    cachedInputTokens: cached ?? 0,
    reasoningTokens: reasoning ?? 0,
    ...(written ? { cacheWriteTokens: written } : {}),
    ...(writtenForAnHour ? { cacheWriteHourTokens: writtenForAnHour } : {}),
  });
}

/** The same, compared with the total: some servers count reasoning beside the output. */
function toReport(counts: Counts): UsageReport {
  const { reasoning, total, cached, written } = counts;
  const [input, output] = [counts.input ?? 0, counts.output ?? 0];
  if (reasoning && total === input + output + reasoning)
    return { usage: toUsage({ ...counts, output: output + reasoning }) };
  const usage = toUsage(counts);
  const left = input + output - (total ?? input + output);
  // Bedrock's total may leave the cache out.
  if (usage === null || left === 0 || left === (cached ?? 0) + (written ?? 0)) return { usage };
  const parts = `${input} tokens of input and ${output} of output`;
  return { usage, warnings: [`the usage does not add up: ${parts}, but ${total} in total`] };
}

const usageReader =
  <Said>(schema: z.ZodType<Said>, toCounts: (said: Said) => Counts) =>
  (said: unknown): UsageReport => {
    const { success, data } = schema.safeParse(said);
    return success ? toReport(toCounts(data)) : { usage: null };
  };

const OpenaiInput = z.object({ cached_tokens: count, cache_write_tokens: count }).nullish();
const OpenaiOutput = z.object({ reasoning_tokens: count }).nullish();

/** Reads the `usage` of Chat Completions and of the Responses API, which say the same in other words. */
export const readOpenaiUsage = usageReader(
  z.object({
    prompt_tokens: count,
    input_tokens: count,
    total_tokens: total,
    /** Of Moonshot. */
    cached_tokens: count,
    prompt_tokens_details: OpenaiInput,
    input_tokens_details: OpenaiInput,
    completion_tokens: count,
    output_tokens: count,
    completion_tokens_details: OpenaiOutput,
    output_tokens_details: OpenaiOutput,
  }),
  (said) => {
    const inputDetails = said.prompt_tokens_details ?? said.input_tokens_details;
    const outputDetails = said.completion_tokens_details ?? said.output_tokens_details;
    return {
      input: said.prompt_tokens ?? said.input_tokens,
      output: said.completion_tokens ?? said.output_tokens,
      cached: inputDetails?.cached_tokens ?? said.cached_tokens,
      reasoning: outputDetails?.reasoning_tokens,
      written: inputDetails?.cache_write_tokens,
      total: said.total_tokens,
    };
  },
);

/** Adds what was read from or written to the cache, which Claude's own count of the input leaves out. */
const withCache = (input: Count, cached: Count, written: Count): Count =>
  input == null ? input : input + (cached ?? 0) + (written ?? 0);

const MessagesCounts = z
  .object({
    input_tokens: count,
    output_tokens: count,
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
    cache_creation: z.object({ ephemeral_1h_input_tokens: count }).nullish(),
    output_tokens_details: z.object({ thinking_tokens: count }).nullish(),
  })
  .transform(
    ({ cache_read_input_tokens: cached, cache_creation_input_tokens: written, ...said }): Counts => ({
      input: withCache(said.input_tokens, cached, written),
      output: said.output_tokens,
      cached,
      reasoning: said.output_tokens_details?.thinking_tokens,
      written,
      writtenForAnHour: said.cache_creation?.ephemeral_1h_input_tokens,
    }),
  );

/** The steps within one call that its own counts leave out. */
const Beside = z.object({ type: z.enum(["compaction", "advisor_message"]), model: z.string().nullish() });
const HasSteps = z.object({ iterations: z.array(z.unknown()) });

/** Reads the `usage` of Anthropic's Messages API. */
export function readMessagesUsage(said: unknown): UsageReport {
  let usage = MessagesCounts.safeParse(said).data ?? null;
  const otherUsage: NonNullable<UsageReport["otherUsage"]> = [];
  for (const step of HasSteps.safeParse(said).data?.iterations ?? []) {
    const beside = Beside.safeParse(step);
    if (!beside.success) continue;
    const counts = MessagesCounts.safeParse(step).data ?? null;
    const { model } = beside.data;
    if (model == null) usage = usage && counts && addCounts(usage, counts);
    else otherUsage.push({ model, usage: counts && toUsage(counts) });
  }
  return { usage: usage && toUsage(usage), ...(otherUsage.length === 0 ? {} : { otherUsage }) };
}

const addCounts = (a: Counts, b: Counts): Counts => ({
  input: null,
  output: null,
  ...Object.fromEntries(PARTS.map((part) => [part, (a[part] ?? 0) + (b[part] ?? 0)])),
});

/** Reads the `usage` of Bedrock's Converse, which does not count reasoning apart. */
export const readConverseUsage = usageReader(
  // The SDK passes on whatever number it was given, as a BigInt where it is large.
  z.object({
    inputTokens: count,
    outputTokens: count,
    cacheReadInputTokens: count,
    cacheWriteInputTokens: count,
    totalTokens: total,
    cacheDetails: z.array(z.object({ ttl: z.string().nullish(), inputTokens: count })).nullish(),
  }),
  ({ cacheReadInputTokens: cached, cacheWriteInputTokens: written, ...said }) => ({
    input: withCache(said.inputTokens, cached, written),
    output: said.outputTokens,
    cached,
    written,
    total: said.totalTokens,
    writtenForAnHour: said.cacheDetails?.find(({ ttl }) => ttl === "1h")?.inputTokens,
  }),
);

/** Reads the `usageMetadata` of Gemini, which counts thoughts beside the candidates. */
export const readGeminiUsage = usageReader(
  z.object({
    promptTokenCount: count,
    toolUsePromptTokenCount: count,
    candidatesTokenCount: count,
    thoughtsTokenCount: count,
    cachedContentTokenCount: count,
    totalTokenCount: total,
  }),
  (said) => ({
    input: (said.promptTokenCount ?? 0) + (said.toolUsePromptTokenCount ?? 0),
    output: (said.candidatesTokenCount ?? 0) + (said.thoughtsTokenCount ?? 0),
    cached: said.cachedContentTokenCount,
    reasoning: said.thoughtsTokenCount,
    total: said.totalTokenCount,
  }),
);
