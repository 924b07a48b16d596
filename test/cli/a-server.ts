import { type RunningCli, startCli } from "../fixtures/start-cli.ts";

const TOKEN = "the-token-of-this-test";

export interface Client {
  get(path: string): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
}

export interface AServer {
  readonly url: string;
  readonly token: string;
  readonly cli: RunningCli;
  readonly client: Client;
}

/** `serve` in a process of its own, on a port that nobody else has. */
export async function aServer(cwd: string, env: Readonly<Record<string, string>> = {}): Promise<AServer> {
  const cli = startCli(["serve", "--port", "0"], { cwd, env: { AGENT_EVALUATOR_TOKEN: TOKEN, ...env } });
  await cli.shows("Ctrl-C ends.");
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(cli.printed()) ?? [];
  const ask = async (path: string, init: RequestInit): Promise<unknown> => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    const answer = (await response.json()) as { error?: { code: string } };
    if (response.ok) return answer;
    throw Object.assign(new Error(JSON.stringify(answer)), {
      status: response.status,
      code: answer.error?.code,
    });
  };
  const client: Client = {
    get: (path) => ask(path, {}),
    post: (path, body) => ask(path, { method: "POST", body: JSON.stringify(body) }),
  };
  return { url, token: TOKEN, cli, client };
}
