import { createContext, useContext } from "react";
import type { Source } from "./source.ts";

const Context = createContext<Source | null>(null);

export const SourceProvider = Context.Provider;

export function useSource(): Source {
  const source = useContext(Context);
  if (source === null) throw new Error("a page is shown outside of its source");
  return source;
}
