import type { Resource, Synthesised } from "./synth.ts";

export const allOf = ({ resources }: Synthesised, type: string): readonly Resource[] =>
  resources.filter((resource) => resource.type === type);

/** The one resource of a type, or of a type and a name. */
export function only(synthesised: Synthesised, type: string, name?: string): Resource["inputs"] {
  const found = allOf(synthesised, type).filter((resource) => name === undefined || resource.name === name);
  if (found.length === 1 && found[0] !== undefined) return found[0].inputs;
  const known = allOf(synthesised, type).map((resource) => resource.name);
  throw new Error(`${found.length} of ${type} are named ${name}; there are ${known.join(", ") || "none"}`);
}

export const lambda = (synthesised: Synthesised, name: string): Resource["inputs"] =>
  only(synthesised, "aws:lambda/function:Function", `${name}Function`);

/** A function's variables, without those that SST itself adds. */
export const variablesOf = (synthesised: Synthesised, name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries<string>(lambda(synthesised, name).environment.variables).filter(
      ([variable]) => !variable.startsWith("SST_"),
    ),
  );

/** What is linked to a function, by name. */
export function linksOf({ calls }: Synthesised, name: string): readonly string[] {
  const call = calls.find(
    ({ method, args }) => /^Runtime\.(?:Build|AddTarget)$/.test(method) && args.functionID === name,
  );
  return Object.keys(Object(call?.args.links)).toSorted();
}

export interface Statement {
  readonly Effect: string;
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: unknown;
}

export const statementsOf = (synthesised: Synthesised, name: string): readonly Statement[] =>
  (
    only(synthesised, "aws:iam/role:Role", `${name}Role`).inlinePolicies as readonly { policy: string }[]
  ).flatMap(({ policy }) => JSON.parse(policy).Statement);
