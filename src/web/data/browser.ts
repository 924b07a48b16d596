import { useEffect } from "react";

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} – Agent Evaluator`;
  }, [title]);
}

/** Downloads a file. */
export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const TOKEN_KEY = "agent-evaluator-token";

/** Reads the API's token: kept for this tab, or for this browser where the user chose so. */
export const readToken = (): string | null =>
  sessionStorage.getItem(TOKEN_KEY) ?? localStorage.getItem(TOKEN_KEY);

/** Moves a token from the address (`#token=…`) into this tab, so that nobody copies it along with a link. */
export function takeTokenFromAddress(): void {
  const match = /^#token=([^&]+)(?:&(.*))?$/.exec(location.hash);
  if (match === null) return;
  sessionStorage.setItem(TOKEN_KEY, decodeURIComponent(match[1] ?? ""));
  history.replaceState(null, "", `${location.pathname}${location.search}#${match[2] ?? "/"}`);
}

export function keepToken(token: string, isForLong: boolean): void {
  for (const storage of [sessionStorage, localStorage]) storage.removeItem(TOKEN_KEY);
  (isForLong ? localStorage : sessionStorage).setItem(TOKEN_KEY, token);
}
