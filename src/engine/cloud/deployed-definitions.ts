import type { EvaluationOptions } from "../definition.ts";

/** The definitions that were deployed with a function. */
export interface DeployedDefinitions {
  readonly names: readonly string[];
  /** One of another name is `definition.unknown`. */
  load(name: string): Promise<DeployedDefinition>;
}

export interface DeployedDefinition {
  readonly options: EvaluationOptions;
  readonly bundle: { readonly fingerprint: string };
}

export const readAll = async ({ names, load }: DeployedDefinitions): Promise<readonly EvaluationOptions[]> =>
  (await Promise.all(names.map(load))).map(({ options }) => options);
