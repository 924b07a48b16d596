import { isUnauthorized } from "../data/failed-answer.ts";
import { SignIn } from "./sign-in.tsx";

/** What a page shows instead of itself when something broke. */
export function Crash({ error }: { readonly error: unknown }) {
  if (isUnauthorized(error)) return <SignIn />;
  return (
    <div className="notice" role="alert">
      <strong>This could not be shown.</strong>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      <button type="button" onClick={() => location.reload()}>
        Try again
      </button>
    </div>
  );
}
