import { isUnauthorized } from "../data/failed-answer.ts";
import { readToken } from "../data/token.ts";
import { SignIn } from "./sign-in.tsx";

/** What a page shows instead of itself when something broke. */
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
