import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Crash } from "./crash.tsx";
import { Loading } from "./loading.tsx";

/** What was asked for, once it is there; until then that it is on its way, or why it is not coming. */
export function Asked<Data>({
  query,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isError ? <Stale error={query.error} /> : null}
        {children(query.data)}
      </>
    );
  }
  if (query.isError) return <Crash error={query.error} />;
  return <Loading />;
}

function Stale({ error }: { readonly error: Error }) {
  return (
    <p className="notice small" role="status">
      The last update did not arrive ({error.message}); what is shown is from before, and another try is under
      way.
    </p>
  );
}
