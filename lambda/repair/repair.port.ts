import type { InstanceId, NodeName } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { DrainPorts } from "../drain/drain.port.ts";
import type { DrainEntry } from "../drain/drain-entry.ts";
import type { ScalingGroups, TargetGroups } from "../group/group.port.ts";
import type { ClusterNodes } from "../group-work/cluster-nodes.port.ts";
import type { Journal } from "../notice/journal.port.ts";
import type { EventRecorder } from "../report/report.port.ts";
import type { RepairEntry } from "./repair-entry.ts";

/** The zones that a zonal shift moves traffic away from. */
export interface ZonalShifts {
  /** Their ids, such as `euw1-az2`, each once. */
  away(): Promise<readonly string[]>;
}

/** What EC2 knows about an instance that seems to have no node. */
export interface LaunchFacts {
  readonly at: Instant;
  readonly names: readonly NodeName[];
}

/** The EC2 instances that are repaired. */
export interface Machines {
  /** The launches of these instances; those that EC2 does not know are left out. */
  launches(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, LaunchFacts>>;
  /** Reboots a machine; `refused` if it is not running. */
  reboot(instance: InstanceId): Promise<"asked" | "refused">;
}

/** How a repair reaches the outside world. */
export interface RepairPorts extends DrainPorts {
  readonly events: EventRecorder;
  readonly groupNodes: ClusterNodes;
  readonly groups: DrainPorts["groups"] &
    Pick<ScalingGroups, "activities" | "giveUp" | "managed" | "refresh" | "tag" | "untag">;
  readonly journal: Journal<DrainEntry | RepairEntry>;
  readonly machines: Machines;
  readonly shifts: ZonalShifts;
  readonly targetGroups: TargetGroups;
}
