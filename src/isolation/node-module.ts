import type { BuildOptions } from "esbuild";

/** Whatever we bundle becomes ES modules for Node, which we write ourselves. */
export const NODE_MODULE = {
  bundle: true,
  write: false,
  platform: "node",
  format: "esm",
  target: "node24",
  legalComments: "none",
  logLevel: "silent",
} as const satisfies BuildOptions;
