import type { InstanceId } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { EventAdmission } from "./event-admission.ts";

/** What AWS has planned for instances. */
export interface WorkSchedule {
  /** When the events begin that EC2 has scheduled for an instance and that are not over; none when EC2 does not know it. */
  planned(instance: InstanceId): Promise<readonly Instant[]>;
}

/** Finds out about several instances at once. */
export type AsksAdmission = (
  instances: readonly InstanceId[],
) => Promise<ReadonlyMap<InstanceId, EventAdmission>>;

/** Which instances of notices that no hook holds may be touched, so that those of others cost next to nothing. */
export interface Admissions {
  /** Instances that are asked about at the same moment are asked about together. A refusal is remembered for some minutes. */
  of(instance: InstanceId, ask: AsksAdmission): Promise<EventAdmission>;
}
