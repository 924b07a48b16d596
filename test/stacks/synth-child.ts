import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { region } from "./account.ts";
import { answerOf, outputsOf } from "./fake-aws.ts";
import { startCli } from "./fake-cli.ts";
import type { Resource, SynthOrder } from "./synth.ts";

interface Pulumi {
  readonly runtime: {
    setMocks(mocks: unknown, project: string, stack: string, preview: boolean): Promise<void>;
    getMonitor(): Monitor;
  };
}

interface Monitor {
  newUrn(parent: string, type: string, name: string): string;
  registerResource(request: Registration, answer: unknown): unknown;
  registerResourceOutputs(request: Outputs, answer: unknown): unknown;
  signalAndWaitForShutdown(request: unknown, answer: (error: null) => void): void;
}

interface Outputs {
  getUrn(): string;
  getOutputs(): { toJavaScript(): unknown };
}

interface Registration {
  getParent(): string;
  getType(): string;
  getName(): string;
  getProtect(): boolean;
  getRetainondelete(): boolean;
  getObject(): { toJavaScript(): unknown };
}

/** Makes Pulumi's runner deploy to nowhere, and write down every resource that would be made. */
export async function prepare(
  pulumi: Pulumi,
  { stage, isLive, concurrencyQuota, root, work, result }: SynthOrder,
): Promise<void> {
  const cli = await startCli(work);
  process.env.SST_SERVER = cli.url;
  process.env.SST_AWS_REGION = region;
  Object.assign(globalThis, {
    $dev: isLive,
    $cli: {
      command: isLive ? "dev" : "deploy",
      rpc: "",
      state: { version: {} },
      paths: { home: work, root, work, platform: join(root, ".sst/platform") },
    },
  });
  const resources: Resource[] = [];
  const warnings: string[] = [];
  const loaded: string[] = [];
  let outputs: unknown = {};
  registerHooks({
    load(url, context, load) {
      if (url.startsWith("file:")) loaded.push(fileURLToPath(url));
      return load(url, context);
    },
  });
  await mockAws(pulumi, { stage, concurrencyQuota, warnings });
  const monitor = pulumi.runtime.getMonitor();
  recordResources(monitor, resources);
  const registerOutputs = monitor.registerResourceOutputs.bind(monitor);
  monitor.registerResourceOutputs = (request, answer) => {
    if (request.getUrn().includes("pulumi:pulumi:Stack::"))
      outputs = plain(request.getOutputs().toJavaScript());
    return registerOutputs(request, answer);
  };
  // A program that failed does not come so far.
  monitor.signalAndWaitForShutdown = (_, answer) => {
    const app = Reflect.get(globalThis, "$app");
    const made = { app, outputs, calls: cli.calls, packages: cli.packages(), resources, warnings, loaded };
    writeFileSync(result, JSON.stringify(made));
    answer(null);
  };
}

interface Made {
  readonly type: string;
  readonly name: string;
  readonly id?: string;
  readonly custom?: boolean;
  readonly inputs: Record<string, unknown>;
}

interface Account {
  readonly stage: string;
  readonly concurrencyQuota: number;
  readonly warnings: string[];
}

async function mockAws(pulumi: Pulumi, { stage, concurrencyQuota, warnings }: Account): Promise<void> {
  const mocks = {
    newResource: ({ type, name, id, custom, inputs }: Made) => ({
      id: custom === false ? "" : id || `${name}-id`,
      state: { ...inputs, ...outputsOf(type, inputs, name) },
    }),
    call: ({ token, inputs }: { token: string; inputs: Record<string, unknown> }) => {
      const answer = answerOf(token, inputs, concurrencyQuota);
      if (answer === null) warnings.push(`nobody answers ${token}`);
      return answer ?? inputs;
    },
  };
  await pulumi.runtime.setMocks(mocks, "project", stage, false);
}

function recordResources(monitor: Monitor, resources: Resource[]): void {
  const newUrn = monitor.newUrn.bind(monitor);
  const register = monitor.registerResource.bind(monitor);
  const known = new Set<string>();
  // The engine leaves the stack out of its children's names.
  monitor.newUrn = (parent, type, name) =>
    newUrn(parent?.includes("pulumi:pulumi:Stack::") ? "" : parent, type, name);
  monitor.registerResource = (request, answer) => {
    const [type, name, parent] = [request.getType(), request.getName(), request.getParent()];
    const urn = monitor.newUrn(parent, type, name);
    if (known.has(urn)) throw new Error(`two resources are named ${urn}`);
    known.add(urn);
    resources.push({
      type,
      name,
      parent,
      isProtected: request.getProtect(),
      isRetained: request.getRetainondelete(),
      inputs: plain(request.getObject().toJavaScript()) as Resource["inputs"],
    });
    return register(request, answer);
  };
}

const SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270";

/** Takes Pulumi's marks off secret values. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if (Object.values(value).includes(SECRET_SIGNATURE)) return plain(Object(value).value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
