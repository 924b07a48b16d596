import * as z from "zod";

/** Stands for one request, however often it is sent. */
export const IdempotencyKey = z.string().regex(/^[\x21-\x7e]{1,200}$/, "1 to 200 visible ASCII characters");
