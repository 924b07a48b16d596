import type { EvaluationOptions } from "../engine/definition/definition.ts";
import type { SentDefinition } from "../isolation/isolation.ts";

/** Options of plain data, with a function that nobody may call wherever the definition has one. */
export function reviveOptions({ functions, others, asks, ...sent }: SentDefinition): EvaluationOptions {
  const options = structuredClone(sent.options);
  for (const path of functions)
    place(
      options,
      path,
      Object.assign(() => notHere(), asks === null ? {} : { asks }),
    );
  for (const { path, text } of others) place(options, path, oddValue(text));
  return options as unknown as EvaluationOptions;
}

/** Puts a value in its place, and nowhere beside the options: the path comes from a process that may lie. */
function place(root: unknown, path: readonly (string | number)[], value: unknown): void {
  const owner = path.slice(0, -1).reduce(ownValue, root);
  const name = path.at(-1);
  if (typeof owner === "object" && owner !== null && name !== undefined)
    Object.defineProperty(owner, name, { value, configurable: true, enumerable: true, writable: true });
}

const ownValue = (owner: unknown, name: string | number): unknown =>
  typeof owner === "object" && owner !== null && Object.hasOwn(owner, name)
    ? Reflect.get(owner, name)
    : undefined;

/** A value as unlike what is expected as the one that was given. */
function oddValue(text: string): unknown {
  if (text === "AbortSignal") return new AbortController().signal;
  if (/^-?\d+n$/.test(text)) return BigInt(text.slice(0, -1));
  const number = Number(text);
  return text === "NaN" || number === Number.POSITIVE_INFINITY || number === Number.NEGATIVE_INFINITY
    ? number
    : {};
}

const notHere = (): never => {
  throw new Error("this function lives in the definition's own process");
};
