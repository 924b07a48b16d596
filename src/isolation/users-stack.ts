import { pathToFileURL } from "node:url";

/**
 * The error with only the user's own lines in its stack. One of ours says by itself what is wrong; where in our code it
 * was found tells nobody more, and Node would print that line first.
 */
export function usersStack(error: unknown, ownFolder: string): unknown {
  if (!(error instanceof Error) || error.name !== "EvaluatorError") return error;
  const own = [ownFolder, pathToFileURL(ownFolder).href];
  const frames = (error.stack ?? "")
    .split("\n")
    .filter(
      (line) => /^ +at /.test(line) && !line.includes("node:") && !own.some((place) => line.includes(place)),
    );
  error.stack = [`${error.name}: ${error.message}`, ...frames].join("\n");
  return error;
}
