/** One file that holds a definition and everything it imports; parent and children load the same one. */
export interface DefinitionBundle {
  /** The bundle, an ES module: `load()` gives the user's module; started as a child it serves runs. */
  readonly file: string;
  /** Hash of the content: the same code has the same fingerprint. */
  readonly fingerprint: string;
  /** Absolute paths of the user's files that went into it, for `--watch`. */
  readonly inputs: readonly string[];
  /** Folders that a run's process may read: the evaluation's folder and the node_modules it uses. */
  readonly readable: readonly string[];
  /** Rewrites the bundle's places in a stack into the user's own files and lines. */
  mapStack(stack: string): string;
}
