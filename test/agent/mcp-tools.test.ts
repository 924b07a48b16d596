import { afterEach, describe, expect, test, vi } from "vitest";
import type { OpenTools } from "../../src/agent/agent.ts";
import type { McpServer } from "../../src/agent/mcp-server.ts";
import { mcpTools } from "../../src/agent/mcp-tools.ts";
import { openTools } from "../../src/agent/tools.ts";
import { aRunContext } from "../fixtures/agent/a-run-context.ts";
import { type McpServerOverHttp, serveMcp } from "../fixtures/agent/serve-mcp.ts";
import { PATIENCE } from "../fixtures/run/patience.ts";
import { runFile } from "../fixtures/run/run-file.ts";

const stdio = {
  command: process.execPath,
  args: [new URL("../fixtures/agent/mcp-server.ts", import.meta.url).pathname],
};
const signal = new AbortController().signal;
const open: (OpenTools | McpServerOverHttp)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function overHttp(): Promise<McpServerOverHttp> {
  const server = await serveMcp();
  open.push(server);
  return server;
}

async function opened(server: McpServer): Promise<OpenTools> {
  const tools = await mcpTools(server).open(signal);
  open.push(tools);
  return tools;
}

const call = ({ tools }: OpenTools, name: string, input: unknown = { a: 1, b: 2 }) =>
  tools.find((tool) => tool.name === name)?.run(input, aRunContext());

const isGone = (pid: number) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

describe.each([
  ["stdio", async () => stdio],
  ["HTTP", async () => ({ url: (await overHttp()).url })],
])("an MCP server over %s", (_, server) => {
  test("gives its tools, with names that every provider takes", async () => {
    const { tools } = await opened(await server());
    expect(tools.map(({ name }) => name)).toEqual([
      ...["math_add", "fail", "look", "shape", "deep", "pid", "silent", "crash"],
      "read_resource",
    ]);
    expect(tools[0]).toMatchObject({ description: "Does math.add.", inputSchema: { type: "object" } });
  });

  test("answers a call with text", async () => {
    const tools = await opened(await server());
    expect(await call(tools, "math_add")).toBe("3");
    expect(await call(tools, "shape")).toBe('{"sum":3}');
    expect(await call(tools, "look")).toEqual([
      { kind: "image", mediaType: "image/png", base64: "AAAA" },
      { kind: "text", text: "[Ledger](file:///ledger)" },
      { kind: "text", text: "a note" },
    ]);
  });

  test("lets models read the resources that results link to", async () => {
    const tools = await opened(await server());
    const read = (uri: unknown) => call(tools, "read_resource", { uri });
    expect(await read("file:///ledger")).toBe("ten apples");
    expect(await read("file:///map")).toEqual([{ kind: "image", mediaType: "image/png", base64: "AAAA" }]);
    expect(await read("file:///song")).toBe("[resource file:///song]");
    await expect(read(7)).rejects.toThrow('the input does not fit: "uri" is not a text');
  });

  test("gives only the tools that were chosen, and knows all of them", async () => {
    const { tools } = await opened({ ...(await server()), tools: ["pid", "math.add"], prefix: "a_" });
    expect(tools.map(({ name }) => name)).toEqual(["a_math_add", "a_pid"]);
    await expect(opened({ ...(await server()), tools: ["pid", "math.sub"] })).rejects.toMatchObject({
      code: "mcp.tool_unknown",
      message: expect.stringContaining('has no tool "math.sub"; it has math.add, fail'),
    });
  });

  test("has a limit of time for a call", async () => {
    const source = mcpTools({ ...(await server()), timeoutSeconds: 0.05 });
    const tools = await openTools([source], signal);
    open.push(tools);
    await expect(call(tools, "silent")).rejects.toThrow("silent did not answer within 0.05 s");
  });

  test("answers a failed call with its error", async () => {
    const tools = await opened(await server());
    await expect(call(tools, "fail")).rejects.toThrow("the ledger is closed");
    await expect(call(tools, "math_add", "1 + 2")).rejects.toThrow("the input does not fit");
  });

  test("answers a result of 3,000 levels with what is wrong with it", async () => {
    await expect(call(await opened(await server()), "deep")).rejects.toThrow(
      "the result of deep is nested deeper than 128 levels",
    );
  });

  test("may have its names set apart", async () => {
    const { tools } = await opened({ ...(await server()), prefix: "a_" });
    expect(tools.map(({ name }) => name)).toContain("a_math_add");
  });
});

test("a server over HTTP gets the headers, and hears when the run is over", async () => {
  const { url, seen } = await overHttp();
  const tools = await mcpTools({ url, headers: { authorization: "Bearer x" } }).open(signal);
  await tools.close();
  expect(seen.at(-1)).toBe("DELETE Bearer x");
  expect(seen).toContain("POST Bearer x");
});

test("a server that crashed is started again for the next call", async () => {
  const tools = await opened(stdio);
  const first = await call(tools, "pid");
  await expect(call(tools, "crash")).rejects.toThrow(/closed/i);
  const [second, third] = await Promise.all([call(tools, "pid"), call(tools, "pid")]);
  expect(second).not.toBe(first);
  expect(third).toBe(second);
});

test("a server that crashes again and again is given up", async () => {
  const tools = await opened(stdio);
  for (let time = 0; time < 4; time++) await expect(call(tools, "crash")).rejects.toThrow(/closed/i);
  await expect(call(tools, "pid")).rejects.toThrow("it ended 3 times after it was started again");
});

test("a server over HTTP that forgot the session gets a new one with the next call", async () => {
  const server = await overHttp();
  const tools = await opened({ url: server.url });
  server.forget();
  await expect(call(tools, "math_add")).rejects.toThrow();
  expect(await call(tools, "math_add")).toBe("3");
});

test("a server over stdio is gone when it is closed", async () => {
  const tools = await mcpTools(stdio).open(signal);
  const pid = Number(await call(tools, "pid"));
  expect(isGone(pid)).toBe(false);
  await tools.close();
  await vi.waitFor(() => expect(isGone(pid)).toBe(true), PATIENCE);
});

test("a server that cannot be reached is named, with the reason", async () => {
  const { url, close } = await serveMcp();
  await close();
  await expect(mcpTools({ url }).open(signal)).rejects.toThrow(`the MCP server "${url}" gave no tools`);
  await expect(mcpTools({ command: "no-such-server", args: ["x"] }).open(signal)).rejects.toThrow(
    'the MCP server "no-such-server x" gave no tools: spawn no-such-server ENOENT; is it installed, and on the PATH?',
  );
  const dying = { command: process.execPath, args: ["-e", "process.exit(1)"] };
  await expect(mcpTools(dying).open(signal)).rejects.toThrow("the run's stderr has what it printed");
});

describe("in a run's process", () => {
  test("each run has a server of its own, which ends with it", async () => {
    const { logs } = await runFile("mcp", { trials: 2 });
    const pids = logs.map(({ result }) => Number(result));
    expect(new Set(pids).size).toBe(2);
    await vi.waitFor(() => expect(pids.map(isGone)).toEqual([true, true]), PATIENCE);
  });

  test("a server on Node is not held to the permissions of the run that starts it", async () => {
    const { logs } = await runFile("mcp", { permissions: { spawn: true } });
    expect(logs[0]?.failure).toBeNull();
    expect(Number(logs[0]?.result)).toBeGreaterThan(0);
  });

  test("a server over stdio needs the permission to spawn, and the failure says so", async () => {
    const { logs } = await runFile("mcp", { permissions: {} });
    expect(logs[0]?.failure).toMatchObject({
      cause: "agent_error",
      fault: "code",
      message: expect.stringContaining(
        "was not started, because a run may not start processes; add `permissions: { spawn: true }` to the evaluation",
      ),
    });
  });
});
