import { Refusal } from "../refusal.ts";
import { stackName } from "../stack-name.ts";
import type { NamedFile } from "./cluster-file.ts";

/**
 * The ids of the stacks in the app. That of a cluster whose file has its name and its Region, such as `demo.us-east-1`, has the
 * Region too, so that two clusters of one name can be in one app. An id says nothing about other files: resources are named by it.
 */
export function stackIds(files: readonly NamedFile[]): ReadonlyMap<string, NamedFile> {
  const ids = new Map<string, NamedFile>();
  for (const file of files) {
    const { name, region } = file.config.cluster;
    const id = stackName(name) + (file.name === `${name}.${region}` ? `-${region}` : "");
    const other = ids.get(id);
    if (other !== undefined)
      throw new Refusal(
        `clusters/${other.name}.json and clusters/${file.name}.json are both for a cluster ${name}; clusters/${name}.${region}.json will do as the name of the second`,
      );
    ids.set(id, file);
  }
  return ids;
}
