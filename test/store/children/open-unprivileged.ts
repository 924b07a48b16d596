/** Opens a store as a user who may not write there, and prints the error; root is above such rules. */
import { EvaluatorError } from "../../../src/domain/evaluator-error.ts";
import { openSqliteStore } from "../../../src/store/sqlite-store.ts";

const NOBODY = 65_534;

if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
}
try {
  openSqliteStore(process.argv[2] ?? "");
  console.log("error", JSON.stringify({ code: "none", message: "it opened" }));
} catch (cause) {
  if (!(cause instanceof EvaluatorError)) throw cause;
  console.log("error", JSON.stringify({ code: cause.code, message: cause.message }));
}
