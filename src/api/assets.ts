export interface Asset {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** Finds a file of the dashboard by its path, such as `/assets/main.js`; null when there is none. */
export type Assets = (path: string) => Promise<Asset | null>;

/** A file of the dashboard; where a browser goes to a page, the dashboard itself finds out which. */
export async function serveAssets(assets: Assets, request: Request): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  const isFile = pathname !== "/" && !isVisit(request);
  const found = await assets(isFile ? pathname : "/index.html");
  if (found === null) return null;
  const cache = pathname.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
  return new Response(found.content, {
    headers: { "content-type": found.type, "cache-control": cache, "content-security-policy": POLICY },
  });
}

/** Says whether a browser opens a page; it never brings a token then, so the API loses nothing. */
export const isVisit = (request: Request): boolean =>
  request.headers.get("sec-fetch-dest") === "document" && !request.headers.has("authorization");

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
