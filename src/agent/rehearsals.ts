import type { ChatProvider } from "../providers/contract.ts";
import type { Agent } from "./contract.ts";

type BuildAgent = (provider: ChatProvider, model: string) => Agent;

const builders: BuildAgent[] = [];

/** An agent of ours says how it is built for a rehearsal, in which the first reply ends it. */
export const rehearseWith = (build: BuildAgent): void => void builders.push(build);

/** Those of our agents that this process has loaded. */
export const rehearsals = (): readonly BuildAgent[] => builders;
