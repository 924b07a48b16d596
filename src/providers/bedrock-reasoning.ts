import type { ConverseCommandInput } from "@aws-sdk/client-bedrock-runtime";
import { planThinking } from "./anthropic-thinking.ts";
import { claudeVersion } from "./claude-version.ts";
import type { ChatRequest } from "./contract.ts";

/** How much a model may write, how freely, and how hard it thinks first. */
export interface InferencePlan {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly effort?: string;
  readonly fields?: NonNullable<ConverseCommandInput["additionalModelRequestFields"]>;
}

/** Converse has one word for effort, which Claude knows; the other models that think have fields of their own. */
export function planInference(request: ChatRequest): InferencePlan {
  const { model, reasoningEffort: effort } = request;
  const asked = {
    ...(request.maxTokens === undefined ? {} : { maxTokens: request.maxTokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
  };
  if (claudeVersion(model) !== null) return planClaude(request);
  if (effort === undefined) return asked;
  if (model.includes("openai.gpt-oss")) {
    return { ...asked, fields: { reasoning_effort: effort === "minimal" ? "low" : effort } };
  }
  if (!model.includes("amazon.nova-2") || effort === "minimal") return asked;
  const fields = { reasoningConfig: { type: "enabled", maxReasoningEffort: effort } };
  // At its highest effort Nova refuses any other limit.
  return effort === "high" ? { fields } : { ...asked, fields };
}

/** Without a limit Bedrock takes the model's own, and counts all of it against the account's quota. */
function planClaude(request: ChatRequest): InferencePlan {
  const { thinking, ...plan } = planThinking(request);
  return { ...plan, ...(thinking === undefined ? {} : { fields: { thinking } }) };
}
