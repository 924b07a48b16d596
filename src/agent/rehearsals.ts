import type { ChatProvider, ChatReply } from "../providers/provider.ts";
import type { Agent } from "./agent.ts";

/** How an agent of ours is built, and the reply that ends it. */
export interface Rehearsal {
  readonly buildAgent: (provider: ChatProvider, model: string) => Agent;
  readonly reply: ChatReply;
}

const known: Rehearsal[] = [];

export const rehearseWith = (rehearsal: Rehearsal): void => void known.push(rehearsal);

/** Those of our agents that this process has loaded. */
export const rehearsals = (): readonly Rehearsal[] => known;
