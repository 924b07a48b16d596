import { hasCode } from "../domain/has-code.ts";
/** What to do about a refusal of Node's permission model, whose own advice is a flag that nobody can give a run. */
export function explainDenied(error: Error): string | null {
  if (hasCode(error, "ERR_UNKNOWN_BUILTIN_MODULE") && error.message.endsWith("node:sqlite"))
    return adviceOn("node:sqlite", "");
  if (!hasCode(error, "ERR_ACCESS_DENIED")) return null;
  const permission = "permission" in error ? String(error.permission) : "";
  const resource = "resource" in error ? String(error.resource) : "";
  const said = error.message.replace(/\.? Use --allow-\S+ to manage permissions\.$/, "");
  return `${adviceOn(permission, resource)} (${said})`;
}

function adviceOn(permission: string, resource: string): string {
  switch (permission) {
    case "FileSystemRead":
      return allow(`read ${resource}`, `read: [${JSON.stringify(resource)}]`);
    case "FileSystemWrite":
      return allow(`write ${resource}`, `write: [${JSON.stringify(resource)}]`);
    case "ChildProcess":
      return allow(`start ${resource || "processes"}`, "spawn: true");
    default:
      return `a run may not use ${permission || "this"}; \`trusted: true\` in the evaluation allows it`;
  }
}

const allow = (what: string, option: string): string =>
  `a run may not ${what}; add \`permissions: { ${option} }\` to the evaluation, or lift all of it with \`trusted: true\``;
