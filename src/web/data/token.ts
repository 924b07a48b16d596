const KEY = "agent-evaluator-token";

/**
 * The API's token: the address brings it once (`#token=…`), then it stays in this tab, or for as long as the user
 * wants it in this browser.
 */
export function readToken(): string | null {
  return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
}

/** Takes the token out of the address, so that nobody copies it along with a link. */
export function takeTokenFromAddress(): void {
  const match = /^#token=([^&]+)(?:&(.*))?$/.exec(location.hash);
  if (match === null) return;
  sessionStorage.setItem(KEY, decodeURIComponent(match[1] ?? ""));
  history.replaceState(null, "", `${location.pathname}${location.search}#${match[2] ?? "/"}`);
}

export function keepToken(token: string, isForLong: boolean): void {
  forgetToken();
  (isForLong ? localStorage : sessionStorage).setItem(KEY, token);
}

function forgetToken(): void {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
}
