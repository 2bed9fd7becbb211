import type { InstanceId, NodeName } from "../base/ids.ts";
import type { DrainPorts } from "../drain/drain.port.ts";
import type { DrainEntry } from "../drain/drain-entry.ts";
import type { MachineNode } from "../drain/node.ts";
import type { NodeInfo } from "../drain/node-info.ts";
import type { ScalingGroups, TargetGroups } from "../group/group.port.ts";
import type { NamedTemplate, TemplateVersion } from "../group/scaling-group.ts";
import type { ClusterNodes } from "../group-work/cluster-nodes.port.ts";
import type { Journal } from "../notice/journal.port.ts";
import type { EventRecorder } from "../report/report.port.ts";
import type { UpgradeEntry } from "./upgrade-entry.ts";

/** A pod of a DaemonSet that a node should have. */
export interface DaemonPod {
  readonly namespace: string;
  readonly name: string;
  readonly readiness: "not-ready" | "ready";
}

/** The nodes of a group, and what the cluster says about how it bears the upgrade. */
export interface GroupNodes extends ClusterNodes {
  /** The nodes of these instances, without their pods; instances without a node are left out. A node without a provider ID is known by its name. */
  nodesOf(instances: readonly InstanceId[]): Promise<readonly MachineNode[]>;
  /** The pods on each of these nodes that a drain would evict. */
  podCounts(nodes: readonly NodeName[]): Promise<ReadonlyMap<NodeName, number>>;
  /** All nodes with what is asked of them, and the pods of these instances. */
  nodeInfos(instances: readonly InstanceId[]): Promise<readonly NodeInfo<MachineNode>[]>;
  daemonPods(node: NodeName): Promise<readonly DaemonPod[]>;
  /** How many pods of each namespace wait for a node. */
  pendingPods(): Promise<ReadonlyMap<string, number>>;
  /** How many pods of a namespace run. */
  runningPods(namespace: string): Promise<number>;
  /** The version of the API server, such as `v1.33.4`. */
  version(): Promise<string>;
  /** Whether a node answers a GET at this URL with 200. */
  answers(url: string): Promise<boolean>;
}

/** A version of a launch template, as far as an upgrade needs it. */
export interface DescribedVersion extends TemplateVersion {
  /** `ami-…`; empty if the template has none. */
  readonly image: string;
  /** Empty without one. */
  readonly description: string;
}

/** What a version of a launch template is made from. */
export interface VersionToMake {
  readonly from: TemplateVersion;
  readonly image: string;
  readonly description: string;
  /** The same token makes the version once, however often it is asked for. */
  readonly token: string;
}

export interface LaunchTemplates {
  /** The version that a group names now; `absent` when the template or the version is not there. */
  version(template: NamedTemplate): Promise<DescribedVersion | "absent">;
  /** Makes a version that differs from another only in its image, unless a deployment leaves that to people. */
  make(version: VersionToMake): Promise<TemplateVersion | "denied">;
}

/** An image, as EC2 describes it. */
export interface Image {
  readonly id: string;
  /** Such as `x86_64`. */
  readonly architecture: string;
  readonly state: string;
}

/** The images that instances are launched from. */
export interface Images {
  image(id: string): Promise<Image | "absent">;
  /** The image that a parameter of SSM names. */
  imageIn(parameter: string): Promise<string | "absent">;
}

/** How an upgrade reaches the outside world. */
export interface UpgradePorts extends DrainPorts {
  readonly events: EventRecorder;
  readonly groups: DrainPorts["groups"] & ScalingGroups;
  readonly groupNodes: GroupNodes;
  readonly images: Images;
  readonly journal: Journal<DrainEntry | UpgradeEntry>;
  readonly targetGroups: TargetGroups;
  readonly templates: LaunchTemplates;
}
