import { existsSync, globSync, readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { account } from "./account.ts";

/** One question that a component asked. */
export interface Call {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface FakeCli {
  readonly url: string;
  readonly calls: readonly Call[];
  /** What lies in the folders of built functions, whoever put it there. */
  packages(): Readonly<Record<string, readonly string[]>>;
}

/** Answers components as the SST command does while it deploys; it builds no code. */
export async function startCli(work: string): Promise<FakeCli> {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    // A socket that is kept alive would hold the process after everything has settled.
    response.setHeader("connection", "close");
    const { method, params } = JSON.parse(await readAll(request));
    calls.push({ method, args: params[0] });
    const answer = answers[method];
    const body =
      answer === undefined
        ? { error: `nobody answers ${method}` }
        : { result: await answer(params[0], work) };
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, calls, packages: () => listPackages(join(work, "artifacts")) };
}

function listPackages(artifacts: string): Readonly<Record<string, readonly string[]>> {
  if (!existsSync(artifacts)) return {};
  return Object.fromEntries(
    readdirSync(artifacts).map((name) => [name, globSync("src/**", { cwd: join(artifacts, name) })]),
  );
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(stream)).toString();
}

type Answer = (args: Record<string, string>, work: string) => unknown;

const answers: Readonly<Record<string, Answer>> = {
  "Provider.Aws.Bootstrap": () => ({
    asset: "sst-asset",
    state: "sst-state",
    assetEcrRegistryId: account,
    assetEcrUrl: "ecr.example/sst",
  }),
  "Provider.Aws.Appsync": () => ({ http: "appsync.example", realtime: "realtime.example" }),
  "Runtime.AddTarget": () => true,
  "Runtime.Build": async ({ functionID = "", handler = "" }, work) => {
    const out = join(work, "artifacts", functionID, "src");
    await mkdir(out, { recursive: true });
    await writeFile(join(out, "bundle.mjs"), "");
    return { handler: `bundle${handler.slice(handler.lastIndexOf("."))}`, out, errors: [], sourcemaps: [] };
  },
};
