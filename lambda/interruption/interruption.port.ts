import type { InstanceId } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { DrainPorts } from "../drain/drain.port.ts";
import type { Ec2Answer } from "../group/ec2-instance.ts";
import type { Instances, ScalingGroups } from "../group/group.port.ts";
import type { Journal } from "../notice/journal.port.ts";
import type { CapacityBlock } from "./capacity-block.ts";
import type { EventAdmission } from "./event-admission.ts";
import type { BlockExpiring, Maintenance } from "./event-notice.ts";
import type { EventPass } from "./event-outcome.ts";
import type { InterruptionEntry } from "./interruption-entry.ts";

/** The work that AWS plans for instances. */
export interface WorkSchedule {
  /** When the events begin that EC2 has scheduled for an instance and that are not over; none when EC2 does not know it. */
  planned(instance: InstanceId): Promise<readonly Instant[]>;
}

/** The Capacity Blocks of EC2. */
export interface CapacityBlocks {
  /** The block with this reservation; `unknown` where EC2 knows none that has begun and not ended. */
  find(reservation: string): Promise<CapacityBlock | "unknown">;
  /** The block that an instance runs in. */
  around(instance: InstanceId): Promise<CapacityBlock | "unknown">;
  /** The instances that run in a block; or this one, if it does. */
  instancesIn(reservation: string, which: InstanceId | "each"): Promise<readonly InstanceId[]>;
}

/** The Capacity Blocks whose notices this process has passed on a moment ago, so that many notices of one block cost no more than one. */
export interface PassedOnBlocks {
  /** The pass in which a notice of this block was passed on; passes it on if there is none. */
  recall(reservation: string, passOn: () => Promise<EventPass>): Promise<EventPass>;
}

/** Finds out about several instances at once. */
export type AsksAdmission = (
  instances: readonly InstanceId[],
) => Promise<ReadonlyMap<InstanceId, EventAdmission>>;

/** Which instances of notices that no hook holds may be touched, so that those of others cost next to nothing. */
export interface Admissions {
  /** Instances that are asked about at the same moment are asked about together. A refusal is remembered for some minutes. */
  of(instance: InstanceId, ask: AsksAdmission): Promise<EventAdmission>;
  /** Forgets a refusal: the instance may have joined a managed group since. */
  forget(instance: InstanceId): void;
  /**
   * All instances of one notice, in their order. They are asked about by themselves, so that what so many questions meet
   * concerns that notice alone, and such notices take turns.
   */
  ofAll(
    instances: readonly InstanceId[],
    ask: AsksAdmission,
  ): Promise<ReadonlyMap<InstanceId, EventAdmission>>;
}

/** The outside world of work on an instance that no hook holds. */
export interface InterruptionPorts extends DrainPorts {
  readonly groups: DrainPorts["groups"] & Pick<ScalingGroups, "memberships" | "tagsOf">;
  readonly instances: Instances;
  readonly journal: Journal<InterruptionEntry>;
  readonly admissions: Admissions;
  /** The same of instances that may have left their groups already. */
  readonly departures: Admissions;
}

/** The EC2 instances that have little time. */
export interface HurriedInstances {
  /** Instances that are asked about at the same moment are asked about together, and once. */
  describe(instance: InstanceId): Promise<Ec2Answer>;
}

/** The outside world of the work on an event; one event may become several notices. */
export interface EventPorts extends InterruptionPorts {
  readonly outbox: Outbox;
  readonly schedule: WorkSchedule;
  readonly blocks: CapacityBlocks;
  readonly passedOnBlocks: PassedOnBlocks;
  readonly hurried: HurriedInstances;
}

/** The queue that the function's own notices come from, as a place to send further notices to. */
export interface Outbox {
  /** Sends a notice under a new id, which it returns. */
  send(notice: Omit<BlockExpiring, "id"> | Omit<Maintenance, "id">): Promise<string>;
}
