import { useRouter } from "@tanstack/react-router";
import { useMemo } from "react";
import type { RunFilter } from "./run-filter.ts";

/** Where each run of an evaluation has its page; the router is asked once, because it takes its time. */
export function useRunAddress(id: string, filter: RunFilter): (run: number) => string {
  const router = useRouter();
  return useMemo(() => {
    const { href } = router.buildLocation({
      to: "/evaluations/$id/runs/$runId",
      params: { id, runId: "RUN" },
      search: filter,
    });
    const [before = "", after = ""] = router.history.createHref(href).split("/runs/RUN");
    return (run) => `${before}/runs/${run}${after}`;
  }, [router, id, filter]);
}
