import { defineConfig } from "vitest/config";

const conditions = ["agent-evaluator-source", "node"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    // Far more than any test takes, because what else a machine does at the time is nothing that a test may fail by.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 250_000 } },
    pool: "forks",
    maxWorkers: 2,
    // Bundles are loaded as Node loads them, not as Vite would.
    server: { deps: { external: [/[\\/]agent-evaluator-[^\\/]+[\\/]/] } },
  },
});
