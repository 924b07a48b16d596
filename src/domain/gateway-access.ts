/** Where one SDK finds its models, named as SDKs name it, and the key that it insists on: a token, of no use anywhere else. */
export interface SdkAccess {
  readonly baseURL: string;
  readonly apiKey: string;
}

/** The gateway as agents that bring their own SDK reach it, over HTTP on loopback. */
export interface GatewayAccess {
  readonly openai: SdkAccess;
  readonly anthropic: SdkAccess;
  readonly gemini: SdkAccess;
}

/** What lets one process in; it serves whichever run the process works on. */
export interface GatewayPass {
  readonly token: string;
  readonly access: GatewayAccess;
}

/** The variables in which SDKs look for their server and their key. */
export const gatewayVariables = ({ openai, anthropic, gemini }: GatewayAccess): Record<string, string> => ({
  OPENAI_BASE_URL: openai.baseURL,
  OPENAI_API_KEY: openai.apiKey,
  ANTHROPIC_BASE_URL: anthropic.baseURL,
  ANTHROPIC_API_KEY: anthropic.apiKey,
  GOOGLE_GEMINI_BASE_URL: gemini.baseURL,
  GEMINI_API_KEY: gemini.apiKey,
});
