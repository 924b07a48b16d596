import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from "@tanstack/react-router";
import { readRunFilter, readSearch } from "./data/grid.ts";
import { Crash } from "./parts/crash.tsx";
import { Shell } from "./parts/shell.tsx";

const root = createRootRoute({ component: Shell, errorComponent: Crash });
const getParentRoute = () => root;

const evaluations = createRoute({
  getParentRoute,
  path: "/",
  validateSearch: (search: Record<string, unknown>) => readSearch(search, ["q"]),
  component: lazyRouteComponent(() => import("./list/page.tsx"), "EvaluationsPage"),
});

const evaluation = createRoute({
  getParentRoute,
  path: "/evaluations/$id",
  validateSearch: readRunFilter,
  component: lazyRouteComponent(() => import("./evaluation/page.tsx"), "EvaluationDetailsPage"),
});

const run = createRoute({
  getParentRoute,
  path: "/evaluations/$id/runs/$runId",
  validateSearch: readRunFilter,
  component: lazyRouteComponent(() => import("./run/page.tsx"), "RunPage"),
});

const compare = createRoute({
  getParentRoute,
  path: "/compare",
  validateSearch: (search: Record<string, unknown>) =>
    readSearch(search, ["a", "aModel", "b", "bModel", "problem"]),
  component: lazyRouteComponent(() => import("./compare/page.tsx"), "ComparePage"),
});

const definition = createRoute({
  getParentRoute,
  path: "/definitions/$name",
  component: lazyRouteComponent(() => import("./list/trend.tsx"), "TrendPage"),
});

/** Makes all pages; their state is in the address after the #, so that any server, or none, can serve them. */
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
