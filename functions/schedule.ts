import { deployedEngine, deployedStore } from "../src/deploy/parts.ts";
import { StartSettings } from "../src/domain/cloud/settings.ts";
import { ScheduleEvent, scheduledId } from "../src/engine/cloud/executions.ts";

const settings = StartSettings.parse(process.env);
const engine = deployedEngine(deployedStore(settings), settings);

export const handler = async (input: unknown): Promise<{ id: string }> => {
  const event = ScheduleEvent.parse(input);
  const request = { evaluation: event.evaluation, tags: ["scheduled"] };
  const { id } = await engine.start(request, { id: scheduledId(event) });
  return { id };
};
