import { hash } from "node:crypto";
import type { Digest } from "../domain/ids.ts";

/** The SHA-256 of a text, in hexadecimal. */
export const sha256: Digest = (text) => hash("sha256", text, "hex");
