import type { Assets } from "../../api/assets.ts";
import { folderAssets } from "../serve/folder-assets.ts";
import { webBuild } from "./web-build.ts";

/** The dashboard's files; from the sources they are built when the first one is asked for. */
export function dashboardAssets(): Assets {
  let built: Promise<Assets> | undefined;
  return async (path) => {
    built ??= webBuild("web").then(folderAssets);
    return (await built)(path);
  };
}
