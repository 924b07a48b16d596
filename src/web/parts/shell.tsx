import { Link, Outlet } from "@tanstack/react-router";
import { useSource } from "../data/source-context.tsx";
import { ThemeButton } from "./theme-button.tsx";

/** What stands around every page. */
export function Shell() {
  const { mayAct } = useSource();
  return (
    <>
      <button type="button" className="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <header className="top">
        <div className="bar apart">
          <Link to="/">
            <strong>Agent Evaluator</strong>
          </Link>
          <nav className="bar" aria-label="Main">
            {mayAct ? <Link to="/">Evaluations</Link> : <span className="quiet">a report</span>}
            <ThemeButton />
          </nav>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Outlet />
      </main>
    </>
  );
}
