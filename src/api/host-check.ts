import { RequestError } from "./request-error.ts";

/**
 * Refuses requests that a page of another site had a browser send: a name that was led to this machine
 * (DNS rebinding) arrives with a foreign Host, a page's own request with a foreign Origin.
 */
export function hostCheck(hosts: readonly string[]): (request: Request) => void {
  const origins = new Set(hosts.map((host) => `http://${host}`));
  return (request) => {
    const host = request.headers.get("host") ?? new URL(request.url).host;
    if (!hosts.includes(host)) {
      throw new RequestError(
        "request.foreign_host",
        `this API answers only as ${hosts.join(" or ")}`,
        "headers.host",
      );
    }
    const origin = request.headers.get("origin");
    if (origin === null || origins.has(origin)) return;
    throw new RequestError(
      "request.foreign_origin",
      "pages of other sites may not use this API",
      "headers.origin",
    );
  };
}
