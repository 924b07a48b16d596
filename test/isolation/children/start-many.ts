import { join } from "node:path";
import { Redactor } from "../../../src/domain/redact.ts";
import { ChildHandle, type Exit } from "../../../src/isolation/child-process.ts";
import { startReaper } from "../../../src/isolation/reaper-link.ts";

// Starts processes until one cannot be started, and says why; all end with it.
const [folder = ""] = process.argv.slice(2);
const children: ChildHandle[] = [];

function startOne(): Promise<Exit | null> {
  const child = new ChildHandle({
    bundleFile: join(import.meta.dirname, "send-calls.mjs"),
    args: ["1", "1"],
    tempFolder: join(folder, String(children.length)),
    ...{ flags: [], environment: {}, cwd: "/", marker: "m;", maySpawn: false },
    ...{ redactor: new Redactor([]), pass: null },
  });
  children.push(child);
  return new Promise((resolve) => {
    child.listen({
      message: () => resolve(null),
      violated: () => {},
      printed: () => {},
      exited: resolve,
    });
  });
}

let refused: Exit | null = null;
while (refused === null) refused = await startOne();
const reaper = startReaper("none.ts", "token", "/nowhere");
reaper.started(1);
reaper.close();
await Promise.all(children.map((child) => child.end("at-once")));
console.log(`${children.length > 2} ${refused.error?.code}`);
