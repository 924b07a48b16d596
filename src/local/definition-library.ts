import { relative } from "node:path";
import { Fresh } from "../api/stats-reader.ts";
import { EvaluatorError } from "../domain/errors.ts";
import { summarizeDefinition } from "../engine/definition/requests.ts";
import type { DefinitionSummary } from "../engine/engine.ts";
import { type LoadedDefinition, loadDefinition } from "./load-definition.ts";

export interface ListedDefinition {
  readonly summary: DefinitionSummary;
  readonly path: string;
}

interface FoundDefinition extends LoadedDefinition {
  /** As it is recorded: relative to the current folder. */
  readonly file: string;
}

interface LibraryOptions {
  /** Absolute paths of the evaluation files there are now. */
  readonly findFiles: () => Promise<readonly string[]>;
  readonly cwd: string;
  readonly nowMs: () => number;
  readonly onBroken: (file: string, error: unknown) => void;
}

/** The definitions of evaluation files, as they are when somebody asks. */
export class DefinitionLibrary {
  readonly #options: LibraryOptions;
  readonly #listed: Fresh<readonly ListedDefinition[]>;

  constructor(options: LibraryOptions) {
    this.#options = options;
    this.#listed = new Fresh(options.nowMs);
  }

  list(): Promise<readonly ListedDefinition[]> {
    return this.#listed.get("all", () => this.#load());
  }

  /** Loaded anew, so that an evaluation starts with what is in the file. */
  async find(name: string): Promise<FoundDefinition> {
    const listed = await this.list();
    const found = listed.find(({ summary }) => summary.name === name);
    if (found !== undefined) {
      return { ...(await loadDefinition(found.path)), file: relative(this.#options.cwd, found.path) };
    }
    const names = listed.map(({ summary }) => summary.name).join(", ");
    throw new EvaluatorError(
      "definition.unknown",
      `no evaluation file defines "${name}"; there are: ${names || "none"}`,
    );
  }

  async #load(): Promise<readonly ListedDefinition[]> {
    const listed = new Map<string, ListedDefinition>();
    for (const path of await this.#options.findFiles()) {
      try {
        const { options } = await loadDefinition(path);
        const summary = summarizeDefinition(options);
        const other = listed.get(summary.name);
        if (other !== undefined) throw twice(summary.name, relative(this.#options.cwd, other.path));
        listed.set(summary.name, { summary, path });
      } catch (error) {
        // One broken file must not take the others away.
        this.#options.onBroken(relative(this.#options.cwd, path), error);
      }
    }
    return [...listed.values()];
  }
}

const twice = (name: string, other: string): EvaluatorError =>
  new EvaluatorError(
    "definition.twice",
    `the name "${name}" is taken by ${other}; give this one another name`,
  );
