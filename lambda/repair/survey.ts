import type { GroupName, InstanceId, NodeName } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";
import type { ScalingGroup } from "../group/scaling-group.ts";
import type { Activities } from "../registrations/aws.port.ts";

/** A group, with what Auto Scaling says of its instances and of its own doing. */
export interface SurveyGroup extends Activities {
  readonly fleet: ScalingGroup;
  readonly refresh: "active" | "none";
}

/** Groups, machines and nodes side by side, as one pass finds them. */
export interface Survey {
  readonly now: Instant;
  readonly groups: readonly SurveyGroup[];
  /** All nodes of the cluster that run on EC2. */
  readonly nodes: readonly MachineNode[];
  /** Nodes without a provider ID of which nobody can tell on which instance they run. */
  readonly unmatched: readonly NodeName[];
  /** When the instances that have no node were launched; those that EC2 no longer knows are left out. */
  readonly launched: ReadonlyMap<InstanceId, Instant>;
  /** The zones that somebody has shifted traffic away from, by name, such as `eu-west-1a`. */
  readonly shifted: readonly string[];
}

/** The group and the instance that a repair is about. */
export interface Patient {
  readonly group: GroupName;
  readonly instance: InstanceId;
  /** `eu-west-1a` and the like. */
  readonly zone: string;
}

const idLabel = "topology.k8s.aws/zone-id";
const nameLabel = "topology.kubernetes.io/zone";

/** The names of zones that are given by their ids, as the labels of nodes tell them; an id that no node has stays as it is. */
export function zonesNamed(
  ids: readonly string[],
  nodes: readonly Pick<MachineNode, "labels">[],
): readonly string[] {
  const names = new Map(nodes.map(({ labels }) => [labels[idLabel], labels[nameLabel]]));
  return ids.map((id) => names.get(id) ?? id);
}
