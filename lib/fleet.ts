import { basename } from "node:path";
import { Annotations, type App, CfnWaitConditionHandle, Stack } from "aws-cdk-lib";
import { complaintOf, UnfitVariable } from "../lambda/config/variables.ts";
import type { ClusterConfig } from "./cluster-file/cluster-config-schema.ts";
import {
  type Choice,
  clusterFiles,
  type NamedFile,
  NothingChosen,
} from "./cluster-file/cluster-file.ts";
import { fieldName } from "./cluster-file/field-name.ts";
import type { LayeredValue } from "./cluster-file/layers.ts";
import type { RegionAt } from "./cluster-place.ts";
import { namesFor } from "./limits/assert-settings.ts";
import { NodeLifecycleStack } from "./node-lifecycle-stack.ts";
import { Refusal } from "./refusal.ts";
import { RegionKey, regionKeyStack } from "./region-key.ts";
import { stackName } from "./stack-name.ts";
import { RegionDashboard, regionDashboardStack } from "./watching/region-dashboard.ts";

/** Adds a stack for each chosen cluster to the app, and what the clusters of a Region share. */
export function addStacks(app: App, choice: Choice, folder?: string): void {
  const files = filesOf(choice, folder);
  if (files instanceof NothingChosen) addNone(app, files);
  else addChosen(app, choice, files);
}

function addChosen(app: App, choice: Choice, files: readonly NamedFile[]): void {
  const stacks = [...stackIds(files)].map(([id, file]) => ({
    place: file.config.cluster,
    config: file.config,
    stack: clusterStack(app, id, file),
  }));
  // A deployment of named clusters deploys nothing else.
  if (choice.cluster === undefined) addShared(app, stacks);
}

function filesOf(choice: Choice, folder?: string): readonly NamedFile[] | NothingChosen {
  try {
    return clusterFiles(choice, folder);
  } catch (refusal) {
    if (refusal instanceof NothingChosen) return refusal;
    throw refusal;
  }
}

/** A stack that nobody can deploy. CDK needs one to bootstrap an account, which comes before the first cluster. */
function addNone(app: App, { message }: NothingChosen): void {
  const stack = new Stack(app, "EksNodeLifecycle", { analyticsReporting: false });
  new CfnWaitConditionHandle(stack, "Nothing");
  Annotations.of(stack).addError(message);
}

/** The stack of a cluster. It has an info annotation for each value that comes from a file under the cluster's own. */
function clusterStack(app: App, id: string, named: NamedFile): Stack {
  const { name, said } = named;
  const stack = stackOf(app, id, named);
  for (const { path, value, file } of said.filter((one) => !isOwn(one, name)))
    Annotations.of(stack).addInfo(`${path.join(".")} is ${JSON.stringify(value)} by ${file}`);
  return stack;
}

/** Refuses with the names of the file what the construct refuses with those of its options. */
function stackOf(app: App, id: string, { name, config }: NamedFile): Stack {
  try {
    return new NodeLifecycleStack(app, id, config);
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    const { cause, message } = refusal;
    const why = cause instanceof UnfitVariable ? complaintOf(cause, fieldOf) : message;
    throw new Refusal(`clusters/${name}.json: ${why}`, { cause: refusal });
  }
}

const fieldOf = namesFor(fieldName);

interface DeployedStack {
  readonly place: RegionAt;
  readonly config: Pick<ClusterConfig, "dashboard" | "encryptionKey">;
  readonly stack: Stack;
}

/** Adds a dashboard and a key for each account and Region with a cluster that wants them. The key is deployed first. */
function addShared(app: App, stacks: readonly DeployedStack[]): void {
  const sharing = (what: "dashboard" | "encryptionKey") =>
    Map.groupBy(
      stacks.filter(({ config }) => config[what] === "region"),
      ({ place: { region, account } }) => [region, ...(account ? [account] : [])].join("-"),
    );
  for (const [at, [its]] of sharing("dashboard"))
    new RegionDashboard(app, `${regionDashboardStack}-${at}`, its?.place);
  for (const [at, its] of sharing("encryptionKey")) {
    const key = new RegionKey(app, `${regionKeyStack}-${at}`, its[0]?.place);
    for (const { stack } of its) stack.addDependency(key);
  }
}

const isOwn = ({ file }: LayeredValue, name: string): boolean => basename(file, ".json") === name;

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
    if (other !== undefined) {
      const both = `clusters/${other.name}.json and clusters/${file.name}.json are both for a cluster ${name}`;
      throw new Refusal(
        other.config.cluster.region === region
          ? `${both} in ${region}, in two accounts; deploy each by itself, as with -c cluster=${other.name}`
          : `${both}; clusters/${name}.${region}.json will do as the name of the second`,
      );
    }
    ids.set(id, file);
  }
  return ids;
}
