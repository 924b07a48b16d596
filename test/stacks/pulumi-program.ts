/**
 * All that SST's bundler leaves to the program that Pulumi runs, which compiles TypeScript by rules that our sources do
 * not pass and has the deployer's keys: what is added here has to be a package that ships JavaScript, and no file of ours.
 */
export const SST_IMPORTS = [
  "@pulumi/aws",
  "@pulumi/cloudflare",
  "@pulumi/command",
  "@pulumi/docker-build",
  "@pulumi/pulumi",
  "@pulumi/random",
  "@pulumi/tls",
  "@pulumiverse/vercel",
  "archiver",
  "esbuild",
  "glob",
  // Imported for frameworks that none of our stacks has.
  "vite",
];

/** The program itself, as SST's command names it. */
export const PROGRAM = /\/\.sst\/platform\/sst\.config\.[^/]+\.mjs$/;

export const isOfSst = (file: string): boolean =>
  /\/\.sst\/platform\/(?:node_modules\/.+\.[cm]?js(?:on)?|package\.json)$/.test(file);
