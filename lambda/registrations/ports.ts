import type { Clock, Pause } from "../base/clock.port.ts";
import type { Cluster, LoadBalancers, Marks, PodRequests, Sightings } from "../drain/drain.port.ts";
import type { DrainedGroups, Instances, ScalingGroups, TargetGroups } from "../group/group.port.ts";
import type { Admissions, WorkSchedule } from "../interruption/interruption.port.ts";
import type { RoleRegistry, Roles } from "../launch/launch.port.ts";
import type { Journal } from "../notice/journal.port.ts";
import type { Outbox } from "../notice/queue.port.ts";
import type { Machines, ZonalShifts } from "../repair/repair.port.ts";
import type { EventRecorder } from "../report/report.port.ts";
import type { GroupNodes, Images, LaunchTemplates } from "../upgrade/upgrade.port.ts";

/** Everything through which a flow reaches the outside world. */
export interface Ports {
  readonly cluster: Cluster;
  readonly groups: DrainedGroups;
  readonly instances: Instances;
  readonly balancers: LoadBalancers;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly pause: Pause;
  readonly marks: Marks;
  readonly podRequests: PodRequests;
  readonly sightings: Sightings;
  /** The name by which other processes know the turns of this one. */
  readonly process: string;
  readonly admissions: Admissions;
  /** The same of instances that may have left their groups already. */
  readonly departures: Admissions;
}

/** The ports of a drain that is told as Events of Kubernetes, too. */
export interface ReportedPorts extends Ports {
  readonly events: EventRecorder;
}

/** The ports of a launch, which needs two more. */
export interface LaunchPorts extends Ports {
  readonly roles: Roles;
  readonly access: RoleRegistry;
}

/** The ports of all notices, some of which become several. */
export interface NoticePorts extends LaunchPorts, ReportedPorts {
  readonly outbox: Outbox;
  readonly schedule: WorkSchedule;
}

export interface UpgradePorts extends ReportedPorts {
  readonly groups: ScalingGroups;
  readonly templates: LaunchTemplates;
  readonly images: Images;
  readonly targetGroups: TargetGroups;
  readonly groupNodes: GroupNodes;
}

export interface RepairPorts extends ReportedPorts {
  readonly groups: DrainedGroups &
    Pick<ScalingGroups, "activities" | "giveUp" | "managed" | "refresh" | "tag" | "untag">;
  readonly groupNodes: Pick<GroupNodes, "all" | "podAddresses">;
  readonly targetGroups: TargetGroups;
  readonly machines: Machines;
  readonly shifts: ZonalShifts;
}
