import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { isUnauthorized } from "../data/answers.ts";
import { keepToken, readToken } from "../data/browser.ts";

interface ShowQueryProps<Data> {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}

/** Shows the data of a query once it is there; until then that it is loading, or why it failed. */
export function ShowQuery<Data>({ query, children }: ShowQueryProps<Data>) {
  if (query.data === undefined) return query.isError ? <Crash error={query.error} /> : <Loading />;
  return (
    <>
      {query.isError ? (
        <p className="notice small" role="status">
          The last update failed ({query.error.message}); this is the state before it. Trying again.
        </p>
      ) : null}
      {children(query.data)}
    </>
  );
}

export function Loading() {
  return (
    <p className="empty" role="status">
      Loading…
    </p>
  );
}

/** Replaces a page, or a part of it, that failed. */
export function Crash({ error }: { readonly error: unknown }) {
  if (isUnauthorized(error)) return <SignIn refused={readToken() === null ? null : wordsOf(error)} />;
  return (
    <div className="notice" role="alert">
      <strong>This could not be shown.</strong>
      <p>{wordsOf(error)}</p>
      <button type="button" onClick={() => location.reload()}>
        Try again
      </button>
    </div>
  );
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Asks for the API's token; `refused` says why the last one was not accepted. */
function SignIn({ refused }: { readonly refused: string | null }) {
  const [token, setToken] = useState("");
  const [isForLong, setForLong] = useState(false);
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault();
        keepToken(token.trim(), isForLong);
        location.reload();
      }}
    >
      <h1>Sign in</h1>
      {refused === null ? null : (
        <p className="wrong" role="alert">
          {`${refused.charAt(0).toUpperCase()}${refused.slice(1)}.`}
        </p>
      )}
      <p className="quiet">
        This API requires a token. On your machine, <code>agent-evaluator view</code> and <code>serve</code>{" "}
        print a link with it; in the cloud it is the secret <code>ApiToken</code>.
      </p>
      <div className="bar">
        <label>
          <span className="hidden">Token</span>
          <input
            type="password"
            value={token}
            placeholder="Token"
            autoComplete="current-password"
            onChange={(event) => setToken(event.target.value)}
          />
        </label>
        <label className="small">
          <input type="checkbox" checked={isForLong} onChange={(event) => setForLong(event.target.checked)} />{" "}
          remember it in this browser
        </label>
        <button type="submit" className="main" disabled={token.trim() === ""}>
          Sign in
        </button>
      </div>
    </form>
  );
}
