import type { Flag } from "../command-table.ts";

/** The flags of every command that can look elsewhere, as the help tells them; apart from what reads them, to start fast. */
export const REMOTE_FLAGS = {
  remote: { value: "URL", help: "of an API, as serve or a deployment prints it" },
  token: { value: "TOKEN", help: "of that API (default AGENT_EVALUATOR_TOKEN)" },
} as const satisfies Record<string, Flag>;
