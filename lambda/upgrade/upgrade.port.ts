import type { DrainPorts } from "../drain/drain.port.ts";
import type { DrainEntry } from "../drain/drain-entry.ts";
import type { ScalingGroups, TargetGroups } from "../group/group.port.ts";
import type { NamedTemplate, TemplateVersion } from "../group/scaling-group.ts";
import type { GroupNodes } from "../group-work/group-nodes.port.ts";
import type { ZonalShifts } from "../group-work/zonal-shifts.port.ts";
import type { Journal } from "../notice/journal.port.ts";
import type { EventRecorder, OpensConditions } from "../report/report.port.ts";
import type { UpgradeEntry } from "./upgrade-entry.ts";

/** A version of a launch template, as far as an upgrade needs it. */
export interface DescribedVersion extends TemplateVersion {
  /** `ami-…`; empty if the template has none. */
  readonly image: string;
  /** Empty without one. */
  readonly description: string;
}

/** The source of a new version of a launch template. */
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

/** The outside world of an upgrade. */
export interface UpgradePorts extends DrainPorts {
  readonly events: EventRecorder;
  readonly conditions: OpensConditions;
  readonly groups: DrainPorts["groups"] & ScalingGroups;
  readonly groupNodes: GroupNodes;
  readonly images: Images;
  readonly journal: Journal<DrainEntry | UpgradeEntry>;
  readonly shifts: ZonalShifts;
  readonly targetGroups: TargetGroups;
  readonly templates: LaunchTemplates;
}
