import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from "@tanstack/react-router";
import { readCompareSearch } from "./compare/search.ts";
import { readRunFilter } from "./data/run-filter.ts";
import { Crash } from "./parts/crash.tsx";
import { Shell } from "./parts/shell.tsx";

const root = createRootRoute({ component: Shell, errorComponent: Crash });

const evaluations = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: ({ q }: Record<string, unknown>): { q?: string } =>
    typeof q === "string" && q ? { q } : {},
  component: lazyRouteComponent(() => import("./list/page.tsx"), "EvaluationsPage"),
});

const evaluation = createRoute({
  getParentRoute: () => root,
  path: "/evaluations/$id",
  validateSearch: readRunFilter,
  component: lazyRouteComponent(() => import("./evaluation/page.tsx"), "EvaluationPage"),
});

const run = createRoute({
  getParentRoute: () => root,
  path: "/evaluations/$id/runs/$runId",
  validateSearch: readRunFilter,
  component: lazyRouteComponent(() => import("./run/page.tsx"), "RunPage"),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: "/compare",
  validateSearch: readCompareSearch,
  component: lazyRouteComponent(() => import("./compare/page.tsx"), "ComparePage"),
});

const definition = createRoute({
  getParentRoute: () => root,
  path: "/definitions/$name",
  component: lazyRouteComponent(() => import("./definition/page.tsx"), "DefinitionPage"),
});

/** All pages; their state is in the address after the #, so that any server, or none, can serve them. */
export const makeRouter = () =>
  createRouter({
    routeTree: root.addChildren([evaluations, evaluation, run, compare, definition]),
    history: createHashHistory(),
    scrollRestoration: true,
  });

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
