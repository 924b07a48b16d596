import { basename, relative, sep } from "node:path";

/** The text of a file that lists these evaluations for deployment. */
export function evalsIndex(folder: string, files: readonly string[]): string {
  const names: string[] = [];
  for (const file of files) names.push(nameFor(file, names));
  const imports = files.map(
    (file, index) => `import ${names[index]} from ${JSON.stringify(specifier(folder, file))};\n`,
  );
  return `${imports.join("")}
/** The evaluations that are deployed; each is the default export of a file of its own. */
export default [${names.join(", ")}];
`;
}

const specifier = (folder: string, file: string): string =>
  `./${relative(folder, file).split(sep).join("/")}`;

/** `price-list.eval.ts` becomes `priceListEvaluation`, which is no reserved word whatever the file's name is. */
function nameFor(file: string, taken: readonly string[]): string {
  const words = basename(file)
    .replace(/\.eval\.\w+$/, "")
    .split(/[^A-Za-z0-9]+/);
  const [first = "", ...rest] = [...words, "evaluation"].filter((word) => word !== "");
  const name =
    first.slice(0, 1).toLowerCase() +
    first.slice(1) +
    rest.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  const legal = /^\d/.test(name) ? `_${name}` : name;
  const isTaken = (wanted: string) => taken.includes(wanted);
  return isTaken(legal) ? `${legal}${taken.filter((other) => other.startsWith(legal)).length + 1}` : legal;
}
