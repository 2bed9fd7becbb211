import { type Duration, minutes } from "../time.ts";

/** What is done about an ill node; `none` for a condition that is not heeded. */
export type RepairAction = "none" | "reboot" | "replace";

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

/** The defaults with a deployment's own rules before them; of its own ones, a reason comes before `*`. */
export const rulesWith = (own: readonly RepairRule[]): readonly RepairRule[] => [
  ...own.filter(({ reason }) => reason !== "*"),
  ...own.filter(({ reason }) => reason === "*"),
  ...defaultRules,
];

/** The rule for a condition and its reason; a condition without a rule is not heeded. */
export const ruleFor = (
  rules: readonly RepairRule[],
  { type, reason }: { readonly type: string; readonly reason: string },
): RepairRule | undefined =>
  rules.find((one) => one.condition === type && (one.reason === "*" || one.reason === reason));
