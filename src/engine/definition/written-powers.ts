import { EvaluatorError } from "../../domain/errors.ts";

/** Options that give power over files, keys and addresses, and whether their values have to be written down as well. */
const POWERS: Readonly<Record<string, "name" | "value">> = {
  env: "value",
  "checker.env": "value",
  "permissions.read": "name",
  "permissions.write": "name",
  "permissions.spawn": "name",
  "permissions.addons": "name",
  "checker.permissions.read": "name",
  "checker.permissions.write": "name",
  "checker.permissions.spawn": "name",
  "checker.permissions.addons": "name",
  trusted: "name",
  gateway: "name",
  "checker.gateway": "name",
  isolation: "value",
  onUpdate: "name",
  onEntry: "name",
  "modelOptions.*.baseUrl": "value",
  "modelOptions.*.headers": "name",
  "modelOptions.*.body": "name",
  "drift.webhook": "value",
  store: "name",
};

type Variables = Readonly<Record<string, string | undefined>>;

/** What these options are without being written. */
const NO_POWER: ReadonlySet<unknown> = new Set([undefined, null, false, "process"]);

/**
 * Refuses options that give power unless the text of the user's own files has their names, and where it matters their
 * values: a package that a definition imports shares its process, and could have set them.
 */
export function refuseUnwrittenPowers(options: object, text: string, variables: Variables): void {
  for (const [power, has] of Object.entries(POWERS)) {
    const path = power.split(".");
    const isNamed = path.every((name) => name === "*" || hasWord(text, name));
    for (const [place, value] of valuesAt(options, path)) {
      const isWritten = has === "name" || isWrittenValue(String(value), text, variables);
      if (!isNamed || !isWritten) throw unwritten(place, value);
    }
  }
}

/** Says whether it stands there, or a variable that is named there has it. */
const isWrittenValue = (value: string, text: string, variables: Variables): boolean =>
  new RegExp(`(?<!\\w)${RegExp.escape(value)}(?![\\w.:@/%-])`).test(text) ||
  Object.entries(variables).some(([name, its]) => its === value && hasWord(text, name));

/** Says whether a text has a name as a word of its own. */
export const hasWord = (text: string, name: string): boolean =>
  new RegExp(`(?<!\\w)${RegExp.escape(name)}(?!\\w)`).test(text);

type Found = readonly [place: string, value: unknown];

function valuesAt(value: unknown, [name, ...rest]: readonly string[], place = ""): Found[] {
  if (name === undefined)
    return [value].flat().flatMap((one) => (NO_POWER.has(one) ? [] : [[place, one] satisfies Found]));
  const owner: object = Object(value);
  const names = name === "*" ? Object.keys(owner) : [name];
  return names.flatMap((key) =>
    valuesAt(Reflect.get(owner, key), rest, place === "" ? key : `${place}.${key}`),
  );
}

function unwritten(place: string, value: unknown): EvaluatorError {
  const shown = typeof value === "string" ? ` to ${JSON.stringify(value)}` : "";
  return new EvaluatorError(
    "options.invalid",
    `a package that the evaluation imports set the option ${place}${shown}; the evaluation's own files do not. If it is ` +
      "wanted, write it in the evaluation's own file, name and value word for word",
  );
}
