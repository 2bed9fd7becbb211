import type { DrainPorts } from "../drain/drain.port.ts";
import type { DrainEntry } from "../drain/drain-entry.ts";
import type { ScalingGroups, TargetGroups } from "../group/group.port.ts";
import type { ClusterNodes } from "../group-work/cluster-nodes.port.ts";
import type { Machines } from "../group-work/machines.port.ts";
import type { ZonalShifts } from "../group-work/zonal-shifts.port.ts";
import type { Journal } from "../notice/journal.port.ts";
import type { EventRecorder, OpensConditions } from "../report/report.port.ts";
import type { RepairEntry } from "./repair-entry.ts";

/** The outside world of a repair. */
export interface RepairPorts extends DrainPorts {
  readonly events: EventRecorder;
  readonly conditions: OpensConditions;
  readonly groupNodes: ClusterNodes;
  readonly groups: DrainPorts["groups"] &
    Pick<ScalingGroups, "activities" | "giveUp" | "managed" | "refresh" | "tag" | "untag">;
  readonly journal: Journal<DrainEntry | RepairEntry>;
  readonly machines: Machines;
  readonly shifts: ZonalShifts;
  readonly targetGroups: TargetGroups;
}
