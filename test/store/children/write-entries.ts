/**
 * Saves entries `from` up to `to` in a store and prints a line for each, only after the store has answered.
 * Usage: write-entries.ts <folder> <writer> <from> <to> [<bytes of the last body>]
 */
import { writeSync } from "node:fs";
import { EvaluatorError } from "../../../src/domain/evaluator-error.ts";
import { openSqliteStore } from "../../../src/store/sqlite-store.ts";
import { printed } from "../../contract/printed.ts";
import { aBody, aLogEntry, anEvaluation, aProblem } from "../../fixtures/a-log-entry.ts";

const [folder = "", writer = "", from, to, lastBytes = "0"] = process.argv.slice(2);

try {
  const store = openSqliteStore(folder);
  await store.createEvaluation(anEvaluation({ trials: 1_000_000 }), [aProblem()]);
  for (let index = Number(from); index < Number(to); index++) {
    const text = index === Number(to) - 1 ? writer.padEnd(Number(lastBytes), "x") : writer;
    const saved = await store.saveEntry(
      aLogEntry({ index, reason: writer }),
      aBody({ stdout: printed(text) }),
    );
    writeSync(1, `${saved} ${index}\n`);
  }
  await store.close();
} catch (cause) {
  if (!(cause instanceof EvaluatorError)) throw cause;
  writeSync(1, `error ${JSON.stringify({ code: cause.code, message: cause.message })}\n`);
}
