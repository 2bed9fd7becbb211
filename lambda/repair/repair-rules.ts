import { type Duration, minutes } from "../base/time.ts";

/** What is done about an instance whose node is ill. */
export const repairActions = ["replace", "reboot", "none"] as const;

/** What is done about an instance whose node is ill. */
export type RepairAction = (typeof repairActions)[number];

/** A deployment's own rule for a condition, in place of the table's, like `nodeRepairConfigOverrides` of a managed node group. */
export interface RepairOverride {
  /** Such as `KernelReady`. */
  readonly condition: string;
  /** Such as `ForkFailedOutOfPID`, or `*` for every reason. */
  readonly reason: string;
  /** How long a node has this condition before it is repaired. */
  readonly minutes: number;
  readonly action: RepairAction;
}

/** What is done about a condition of a node, and after how long. */
export interface RepairRule {
  /** Such as `KernelReady`. */
  readonly condition: string;
  /** Such as `NvidiaXID79Error`; `*` for every reason. */
  readonly reason: string;
  /** How long a node has to be ill before it is repaired. */
  readonly wait: Duration;
  readonly action: RepairAction;
}

const accelerators = (reason: string, action: RepairAction): RepairRule => ({
  condition: "AcceleratedHardwareReady",
  ...{ reason, wait: minutes(10), action },
});

const others = ["Ready", "ContainerRuntimeReady", "KernelReady", "NetworkingReady", "StorageReady"];

// @see https://docs.aws.amazon.com/eks/latest/userguide/node-health-nma.html
const rebootingXids = [13, 31, 48, 63, 64, 94, 95];

/** What a managed node group does by default. @see https://docs.aws.amazon.com/eks/latest/userguide/node-repair.html */
export const defaultRules: readonly RepairRule[] = [
  ...rebootingXids.map((xid) => accelerators(`NvidiaXID${xid}Error`, "reboot")),
  accelerators("DCGMDiagnosticFailure", "none"),
  accelerators("DCGMError", "none"),
  accelerators("*", "replace"),
  ...others.map(
    (condition): RepairRule => ({ condition, reason: "*", wait: minutes(30), action: "replace" }),
  ),
];

/** The rules of a deployment, then the defaults. A rule for a reason comes before one for `*`. */
export const rulesWith = (overrides: readonly RepairOverride[]): readonly RepairRule[] => [
  ...overrides
    .toSorted((a, b) => Number(a.reason === "*") - Number(b.reason === "*"))
    .map(({ minutes: wait, ...override }) => ({ ...override, wait: minutes(wait) })),
  ...defaultRules,
];

/** The rule for a condition and its reason; a condition without a rule is not heeded. */
export const ruleFor = (
  rules: readonly RepairRule[],
  { type, reason }: { readonly type: string; readonly reason: string },
): RepairRule | undefined =>
  rules.find((one) => one.condition === type && (one.reason === "*" || one.reason === reason));
