import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../domain/clock.ts";
import type { GatewayPass } from "../../domain/gateway-access.ts";
import { patientFetch } from "../../providers/patient-fetch.ts";
import type { Variables } from "../../providers/table.ts";
import type { Gateway } from "../gateway.ts";
import { RunShare, SilentConnections } from "./connections.ts";
import { answerCall, type GatewayRun } from "./exchange.ts";
import { sendError, tokenOf } from "./request.ts";

/** Longer than any pause of an agent between two calls, so that no connection closes just when it is used again. */
const KEEP_ALIVE_MS = 600_000;
/** Time for the head of a request, also for the first one of a connection. */
const HEADERS_MS = 10_000;

interface HttpGatewayDeps {
  /** Retries the calls, and knows how many at a time each provider takes. */
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly variables?: Variables;
}

interface ServedRun {
  readonly run: GatewayRun;
  readonly end: AbortController;
  readonly calls: Set<Promise<void>>;
  readonly share: RunShare;
}

/** The gateway over HTTP on loopback: the holder of a run's token may call models on that run's account. */
export class HttpGateway {
  readonly #input: HttpGatewayDeps;
  readonly #send = patientFetch();
  readonly #server: Server;
  readonly #served = new Map<string, ServedRun>();
  readonly #silent = new SilentConnections();

  private constructor(input: HttpGatewayDeps) {
    this.#input = input;
    const times = { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: HEADERS_MS };
    this.#server = createServer(times, (incoming, outgoing) => {
      // Refusals of providers are answered; this rejects only when the agent itself went away.
      this.#answer(incoming, outgoing).catch(() => outgoing.destroy());
    });
    this.#server.on("connection", (socket) => this.#silent.add(socket));
  }

  static async open(input: HttpGatewayDeps): Promise<HttpGateway> {
    const opened = new HttpGateway(input);
    opened.#server.listen(0, "127.0.0.1");
    await once(opened.#server, "listening");
    // Calls under way keep the evaluator alive; the listening socket does not.
    opened.#server.unref();
    return opened;
  }

  /** A pass of its own for every process that runs agents. */
  readonly issuePass = (): GatewayPass => {
    const { port } = this.#server.address() as AddressInfo;
    const token = randomBytes(32).toString("hex");
    const at = (path: string) => ({ baseURL: `http://127.0.0.1:${port}/${path}`, apiKey: token });
    return { token, access: { openai: at("openai/v1"), anthropic: at("anthropic"), gemini: at("gemini") } };
  };

  /** Makes calls with this token from now on belong to a run. */
  serve(token: string, run: GatewayRun): void {
    this.#served.set(token, {
      run,
      end: new AbortController(),
      calls: new Set(),
      share: new RunShare(),
    });
  }

  /** Takes nothing new and drops what is under way; resolves when the run has recorded that. */
  async release(token: string): Promise<void> {
    const served = this.#served.get(token);
    if (served === undefined) return;
    this.#served.delete(token);
    served.end.abort(new Error("the run has ended"));
    await Promise.allSettled(served.calls);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#served.keys()].map((token) => this.release(token)));
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const url = URL.parse(`http://gateway${incoming.url}`);
    const served = url === null ? undefined : this.#served.get(tokenOf(incoming, url));
    if (url === null || served === undefined) {
      incoming.resume();
      outgoing.shouldKeepAlive = false;
      return sendError(outgoing, 401, NO_RUN);
    }
    this.#silent.remove(incoming.socket);
    const admitted = served.share.admit(incoming, outgoing, this.#served.size);
    if (admitted === null) {
      incoming.resume();
      return sendError(outgoing, 429, TOO_MANY);
    }
    const { gateway, clock, variables } = this.#input;
    const call = answerCall({
      incoming,
      outgoing,
      url,
      gateway,
      clock,
      variables,
      run: served.run,
      ended: served.end.signal,
      send: this.#send,
      admitted,
    });
    served.calls.add(call);
    await call.finally(() => served.calls.delete(call));
  }
}

const TOO_MANY = "the run has too many requests in progress; make fewer model calls at once";

const NO_RUN =
  "this key belongs to no run in progress; use the base URL and the key from the run's own environment " +
  "(OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY) or from context.gateway, and only until the run ends";
