import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { answerOf, outputsOf } from "./fake-aws.ts";
import { startCli } from "./fake-cli.ts";
import { region } from "./place.ts";
import type { Resource, SynthOrder } from "./synth.ts";

/** The parts of SST and Pulumi that the bundle brings along. */
interface Parts {
  readonly config: {
    app(input: { stage: string }): Promise<Record<string, unknown>>;
    run(): Promise<unknown>;
  };
  readonly run: (program: () => Promise<unknown>) => Promise<unknown>;
  readonly pulumi: Pulumi;
}

interface Pulumi {
  output(value: unknown): { apply(use: (value: unknown) => void): void };
  readonly runtime: {
    setMocks(mocks: unknown, project: string, stack: string, preview: boolean): Promise<void>;
    getMonitor(): Monitor;
    runInPulumiStack(program: () => Promise<unknown>): Promise<unknown>;
  };
}

interface Monitor {
  newUrn(parent: string, type: string, name: string): string;
  registerResource(request: Registration, answer: unknown): unknown;
}

interface Registration {
  getParent(): string;
  getType(): string;
  getName(): string;
  getProtect(): boolean;
  getRetainondelete(): boolean;
  getObject(): { toJavaScript(): unknown };
}

/** Deploys the stacks to nowhere, in a process of its own, and writes down every resource that would be made. */
export async function synthesise({ config, run, pulumi }: Parts, order: SynthOrder): Promise<void> {
  for (const event of ["unhandledRejection", "uncaughtException"]) process.on(event, fail);
  const { stage, isLive, root, work } = order;
  const app = { removal: "retain", protect: false, ...(await config.app({ stage })), stage };
  const cli = await startCli(work);
  process.env.SST_SERVER = cli.url;
  process.env.SST_AWS_REGION = region;
  Object.assign(globalThis, {
    $app: app,
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
  await mockAws(pulumi, String(Object(app).name), stage, warnings);
  recordResources(pulumi.runtime.getMonitor(), resources);
  let outputs: unknown = {};
  // Node ends by itself once every output has settled, which is the end of the deployment.
  process.once("beforeExit", () => {
    const result = { app, outputs, calls: cli.calls, packages: cli.packages(), resources, warnings };
    writeFileSync(order.result, JSON.stringify(result));
  });
  const settled = await pulumi.runtime.runInPulumiStack(() => run(config.run));
  pulumi.output(settled).apply((value) => {
    outputs = plain(value);
  });
}

function fail(error: unknown): never {
  console.error(error);
  process.exit(1);
}

interface Made {
  readonly type: string;
  readonly name: string;
  readonly id?: string;
  readonly custom?: boolean;
  readonly inputs: Record<string, unknown>;
}

async function mockAws(pulumi: Pulumi, project: string, stack: string, warnings: string[]): Promise<void> {
  const mocks = {
    newResource: ({ type, name, id, custom, inputs }: Made) => ({
      id: custom === false ? "" : id || `${name}-id`,
      state: { ...inputs, ...outputsOf(type, inputs, name) },
    }),
    call: ({ token, inputs }: { token: string; inputs: Record<string, unknown> }) => {
      const answer = answerOf(token, inputs);
      if (answer === null) warnings.push(`nobody answers ${token}`);
      return answer ?? inputs;
    },
  };
  await pulumi.runtime.setMocks(mocks, project, stack, false);
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
    if (known.has(urn)) fail(new Error(`two resources are named ${urn}`));
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
