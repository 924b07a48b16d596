import * as z from "zod";
import { jsonAnswer, route } from "../route.ts";

export const showOpenApi = route(
  {
    method: "get",
    path: "/openapi.json",
    summary: "This description",
    answers: { 200: jsonAnswer("An OpenAPI document", z.record(z.string(), z.unknown())) },
  },
  (_input, { document }) => Response.json(document()),
);

const Health = z.object({ status: z.literal("ok") });

export const showHealth = route(
  {
    method: "get",
    path: "/health",
    summary: "Whether anybody is there; needs no token",
    isOpen: true,
    answers: { 200: jsonAnswer("Somebody is there", Health) },
  },
  () => Response.json({ status: "ok" }),
);
