import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REPORT_PLACE, type ReportData } from "../../web/data/report-data.ts";

/** One HTML file that holds the dashboard and the data; it asks nobody for anything. */
export function reportPage(folder: string, data: ReportData): string {
  const code = readOne(folder, "js").replaceAll(/<(?=\/script|!--)/gi, "\\x3c");
  const style = readOne(folder, "css");
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(code)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Agent Evaluator</title>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<script type="application/json" id="${REPORT_PLACE}">${toInlineJson(data)}</script>
<script type="module">${code}</script>
</body>
</html>
`;
}

/** No text in it can end its element. */
const toInlineJson = (data: ReportData): string => JSON.stringify(data).replaceAll("<", "\\u003c");

function readOne(folder: string, ending: "js" | "css"): string {
  const [file = ""] = globSync(`assets/*.${ending}`, { cwd: folder });
  return readFileSync(join(folder, file), "utf8");
}

const hashOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;
