import { Socket } from "node:net";

// A run's process that sends so many model calls of so many bytes, each after the answer to the last.
const [count, bytes] = process.argv.slice(2);
const request = "x".repeat(Number(bytes));
const pipe = new Socket({ fd: 3 });
let sent = 0;

function call() {
  const json = Buffer.from(JSON.stringify({ kind: "call", id: sent++, providerKey: "scripted", request }));
  const header = Buffer.alloc(4);
  header.writeUInt32BE(json.length);
  pipe.write(Buffer.concat([header, json]));
}

pipe.on("data", () => {
  if (sent < Number(count)) call();
});
call();
