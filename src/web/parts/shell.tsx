import { Link, Outlet } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useSource } from "../data/source.ts";

/** Surrounds every page with its header. */
export function Shell() {
  const { mayAct } = useSource();
  return (
    <>
      <button type="button" className="hidden" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <header>
        <div className="bar apart">
          <Link to="/">
            <strong>Agent Evaluator</strong>
          </Link>
          <nav className="bar" aria-label="Main">
            {mayAct ? null : <span className="quiet">a report</span>}
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

const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const KEY = "agent-evaluator-theme";

/** Switches between light, dark, and as the system has it. */
function ThemeButton() {
  const [theme, setTheme] = useState<Theme>(() => THEMES.find((known) => known === readKept()) ?? "system");
  useEffect(() => {
    document.documentElement.style.colorScheme = theme === "system" ? "" : theme;
    keep(theme);
  }, [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
  return (
    <button type="button" className="small" onClick={() => setTheme(next)} title={`Switch to ${next}`}>
      Theme: {theme}
    </button>
  );
}

/** A report on disk may have no storage. */
function readKept(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The choice then lasts for this page only.
  }
}
