import * as z from "zod";
import { DefinitionSummary } from "../../engine/contract.ts";
import { jsonAnswer } from "../answers.ts";
import { route } from "../route.ts";

export const DefinitionList = z.object({ definitions: z.array(DefinitionSummary) });

export const listDefinitions = route(
  {
    method: "get",
    path: "/definitions",
    summary: "What can be started",
    answers: { 200: jsonAnswer("All definitions", DefinitionList) },
  },
  async (_input, { engine }) => Response.json({ definitions: await engine.definitions() }),
);
