import { basename } from "node:path";
import { Annotations, type App } from "aws-cdk-lib";
import { type Choice, clusterFiles, type NamedFile } from "./cluster-file/cluster-file.ts";
import type { Said } from "./cluster-file/layers.ts";
import { NodeLifecycleStack } from "./node-lifecycle-stack.ts";
import { Refusal } from "./refusal.ts";
import { stackName } from "./stack-name.ts";
import {
  type RegionAt,
  RegionDashboard,
  regionDashboardStack,
} from "./watching/region-dashboard.ts";

/** Puts a stack for each chosen cluster into the app, and tells each value that a cluster has from a file under its own. */
export function addStacks(app: App, choice: Choice, folder?: string): void {
  const files = clusterFiles(choice, folder);
  for (const [id, { name, config, said }] of stackIds(files)) {
    const stack = new NodeLifecycleStack(app, id, config);
    for (const { path, value, file } of said.filter((one) => !isOwn(one, name)))
      Annotations.of(stack).addInfo(`${path.join(".")} is ${JSON.stringify(value)} by ${file}`);
  }
  // Whoever names clusters deploys nothing else.
  if (choice.cluster === undefined)
    for (const [id, place] of dashboardsOf(files)) new RegionDashboard(app, id, place);
}

const isOwn = ({ file }: Said, name: string): boolean => basename(file, ".json") === name;

/**
 * The ids of the stacks in the app. That of a cluster whose file has its name and its Region, such as `demo.us-east-1`, has the
 * Region too, so that two clusters of one name can be in one app. An id says nothing about other files: resources are named by it.
 */
function stackIds(files: readonly NamedFile[]): ReadonlyMap<string, NamedFile> {
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

/** The accounts and Regions in which a cluster wants a dashboard with all others, by the ids of its stacks. */
function dashboardsOf(files: readonly NamedFile[]): ReadonlyMap<string, RegionAt> {
  const wanted = files.filter(({ config }) => config.dashboard === "region");
  return new Map(
    wanted.map(({ config: { cluster } }) => {
      const account = cluster.account === undefined ? "" : `-${cluster.account}`;
      return [`${regionDashboardStack}-${cluster.region}${account}`, cluster];
    }),
  );
}
