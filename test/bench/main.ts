/**
 * Usage: npm run bench [-- <part>]
 * `runs` measures the command against its targets; `store` keeps a million entries, which takes minutes;
 * `cloud` counts what orchestration takes and what runs cost in an AWS account;
 * `web` shows an evaluation of 100,000 runs in a browser.
 */
const PARTS = {
  runs: () => import("./runs.ts"),
  store: () => import("./store.ts"),
  fleet: () => import("./fleet.ts"),
  cloud: () => import("./cloud.ts"),
  web: () => import("./web.ts"),
} as const;

const [part = "runs"] = process.argv.slice(2);
if (!(part in PARTS)) throw new Error(`no part ${part}; there are ${Object.keys(PARTS).join(", ")}`);
await PARTS[part as keyof typeof PARTS]();
