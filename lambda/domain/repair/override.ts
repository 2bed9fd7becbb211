/** What is done about an instance whose node is ill. */
export const repairActions = ["replace", "reboot", "none"] as const;

/** What is done about an instance whose node is ill. */
export type RepairAction = (typeof repairActions)[number];

/** What a deployment says of a condition in place of the table, as `nodeRepairConfigOverrides` of a managed node group does. */
export interface RepairOverride {
  /** Such as `KernelReady`. */
  readonly condition: string;
  /** Such as `ForkFailedOutOfPID`, or `*` for every reason. */
  readonly reason: string;
  /** How long a node has this condition before it is repaired. */
  readonly minutes: number;
  readonly action: RepairAction;
}
