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
        text: "Guides",
        items: [
          page("Getting started", "/docs/guides/getting-started"),
          page("Reading results", "/docs/guides/reading-results"),
          page("Your own agent", "/docs/guides/your-own-agent"),
          page("Problems", "/docs/guides/problems"),
          page("Checkers and judges", "/docs/guides/checkers"),
          page("Comparing prompts", "/docs/guides/comparing-prompts"),
          page("Iterating", "/docs/guides/iterating"),
          page("A gate in CI", "/docs/guides/ci-gate"),
          page("Cost control", "/docs/guides/cost-control"),
          page("Isolation and secrets", "/docs/guides/isolation-and-secrets"),
          page("Debugging a run", "/docs/guides/debugging"),
          page("In the cloud", "/docs/guides/cloud"),
          page("Moving from other tools", "/docs/guides/moving"),
        ],
      },
      {
        text: "Reference",
        items: [
          page("Options", "/docs/reference/options"),
          page("Commands", "/docs/reference/commands"),
          page("Exit codes", "/docs/reference/exit-codes"),
          page("Failure causes", "/docs/reference/failures"),
          page("Log entry", "/docs/reference/log-entry"),
          page("Environment variables", "/docs/reference/environment"),
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
