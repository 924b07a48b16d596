import * as z from "zod";
import { jsonAnswer } from "../answers.ts";
import { route } from "../route.ts";

export const Health = z.object({ status: z.literal("ok") });

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
