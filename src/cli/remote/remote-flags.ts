import * as z from "zod";

const A_URL = "an address: https://…, or http:// on this machine";

/** A token must not cross a network in the open. */
const mayCarryToken = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" ||
  (protocol === "http:" && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname));

const RemoteUrl = z.string().transform((text, context) => {
  const url = URL.parse(text);
  if (url !== null && mayCarryToken(url)) return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  context.addIssue(A_URL);
  return z.NEVER;
});

/** Read by every command that can look elsewhere. */
export const remoteFlags = { remote: RemoteUrl.optional(), token: z.string().min(1, "a token").optional() };
