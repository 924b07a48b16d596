import { defineConfig } from "vitest/config";

const conditions = ["agent-evaluator-source", "node"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    // Bundles are loaded as Node loads them, not as Vite would.
    server: { deps: { external: [/[\\/]agent-evaluator-[^\\/]+[\\/]/] } },
  },
});
