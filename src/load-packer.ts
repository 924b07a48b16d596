import { pathToFileURL } from "node:url";
import type { Packer } from "./domain/deployment.ts";
import { ownFile } from "./own-files.ts";

/** What reads and packs the definitions of a project. It runs as it is: it starts files of ours that a bundle has not. */
export async function loadPacker(project: string): Promise<Packer> {
  const load = (name: string): Promise<Packer> => import(pathToFileURL(ownFile(name, project)).href);
  const { describeDeployment } = await load("describe-deployment");
  const { packDefinitions } = await load("pack-definitions");
  return { describeDeployment, packDefinitions };
}
