import type { InstanceId } from "../base/ids.ts";
import type { EventAdmission } from "./event-admission.ts";

/** Finds out about several instances at once. */
export type AsksAdmission = (
  instances: readonly InstanceId[],
) => Promise<ReadonlyMap<InstanceId, EventAdmission>>;

/** Which instances of notices that no hook holds may be touched, so that those of others cost next to nothing. */
export interface Admissions {
  /** Instances that are asked about at the same moment are asked about together. A refusal is remembered for some minutes. */
  of(instance: InstanceId, ask: AsksAdmission): Promise<EventAdmission>;
}
