/** Address at which one SDK finds its models, and the key that it insists on: a token, useless elsewhere. */
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

/** Pass that lets one process in; it serves whichever run the process works on. */
export interface GatewayPass {
  readonly token: string;
  readonly access: GatewayAccess;
}

/** The variables in which SDKs look for their server and their key. */
export const GATEWAY_VARIABLES: Readonly<Record<string, (access: GatewayAccess) => string>> = {
  OPENAI_BASE_URL: ({ openai }) => openai.baseURL,
  OPENAI_API_KEY: ({ openai }) => openai.apiKey,
  ANTHROPIC_BASE_URL: ({ anthropic }) => anthropic.baseURL,
  ANTHROPIC_API_KEY: ({ anthropic }) => anthropic.apiKey,
  GOOGLE_GEMINI_BASE_URL: ({ gemini }) => gemini.baseURL,
  GEMINI_API_KEY: ({ gemini }) => gemini.apiKey,
};

export const gatewayVariables = (access: GatewayAccess): Record<string, string> =>
  Object.fromEntries(Object.entries(GATEWAY_VARIABLES).map(([name, valueIn]) => [name, valueIn(access)]));
