import * as z from "zod";

const DEFAULT_PORT = 4747;

/** A port on this machine; 0 is any that is free. */
export const PortFlag = z
  .string()
  .regex(/^\d{1,5}$/, "a port")
  .transform(Number)
  .refine((port) => port <= 65_535, "a port")
  .default(DEFAULT_PORT);
