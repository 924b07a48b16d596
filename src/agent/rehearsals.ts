import type { ChatProvider, ChatReply } from "../providers/provider.ts";
import type { Agent } from "./agent.ts";

/** Builds an agent of this package, with the reply that ends it, to warm a process up before its run. */
export interface Rehearsal {
  readonly buildAgent: (provider: ChatProvider, model: string) => Agent;
  readonly reply: ChatReply;
}

const known: Rehearsal[] = [];

export const rehearseWith = (rehearsal: Rehearsal): void => void known.push(rehearsal);

/** The agents of this package that this process has loaded. */
export const rehearsals = (): readonly Rehearsal[] => known;
