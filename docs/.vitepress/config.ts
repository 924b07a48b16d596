import { defineConfig } from "vitepress";

const page = (text: string, link: string) => ({ text, link });

/** The site of the README and the pages of `docs`; its source is the repository, so that links between files hold on both. */
export default defineConfig({
  title: "Agent Evaluator",
  description: "How accurate, fast and expensive each model is with your agent",
  srcDir: "..",
  srcExclude: ["{dist,test,src,functions}/**", ".*/**"],
  rewrites: { "README.md": "index.md" },
  cacheDir: "../node_modules/.cache/vitepress",
  cleanUrls: true,
  // The dashboard's configuration in the root is not the site's.
  vite: { configFile: false },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: [
      {
        text: "Reference",
        items: [
          page("Commands", "/docs/reference/commands"),
          page("HTTP API", "/docs/reference/http-api"),
          page("Isolation", "/docs/reference/isolation"),
          page("Providers", "/docs/reference/providers"),
          page("Statistics", "/docs/reference/statistics"),
        ],
      },
      {
        text: "In your AWS account",
        items: [page("Deploying", "/stacks/DEPLOY"), page("First deployment", "/stacks/FIRST-DEPLOYMENT")],
      },
      {
        text: "The project",
        items: [
          page("Architecture", "/ARCHITECTURE"),
          page("Contributing", "/CONTRIBUTING"),
          page("Changelog", "/CHANGELOG"),
        ],
      },
    ],
  },
});
