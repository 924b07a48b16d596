import * as z from "zod";
import { jsonAnswer } from "../answers.ts";
import { route } from "../route.ts";

export const showOpenApi = route(
  {
    method: "get",
    path: "/openapi.json",
    summary: "This description",
    answers: { 200: jsonAnswer("An OpenAPI document", z.record(z.string(), z.unknown())) },
  },
  (_input, { document }) => Response.json(document()),
);
