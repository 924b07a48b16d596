import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The dashboard as it is served, or with `--mode report` as one file that a report carries in itself. */
export default defineConfig(({ mode }) => {
  const isReport = mode === "report";
  return {
    root: `${import.meta.dirname}/src/web`,
    base: "./",
    plugins: [react()],
    build: {
      outDir: `${import.meta.dirname}/dist/${isReport ? "report" : "web"}`,
      emptyOutDir: true,
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      cssCodeSplit: !isReport,
      // A report is one file, however large.
      chunkSizeWarningLimit: isReport ? 2_000 : 500,
      rolldownOptions: isReport ? { output: { codeSplitting: false } } : {},
    },
  };
});
