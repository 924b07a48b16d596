import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["agent-evaluator-source", "node"] },
  ssr: { resolve: { conditions: ["agent-evaluator-source", "node"] } },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
