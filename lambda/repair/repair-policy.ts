import type { Labels } from "../base/labels.ts";
import { type Duration, minutes } from "../base/time.ts";
import type { NodeCount } from "../group/node-count.ts";

/** The repair settings of a deployment. */
export interface RepairPolicy {
  readonly cluster: string;
  /** The first rule that matches a condition applies. */
  readonly rules: readonly RepairRule[];
  /** The interval of the schedule. */
  readonly every: Duration;
  /** The settings of a group: those of the deployment, overridden by the group's tags. */
  settingsFor(tags: Labels): GroupRepairs;
}

/** The settings of a group, and why some of its tags are ignored. */
interface GroupRepairs {
  readonly settings: RepairSettings;
  readonly refused: readonly string[];
}

export interface RepairSettings {
  /** `dry-run` only logs repairs. */
  readonly mode: "dry-run" | "repair";
  /** The time after its launch for which an instance may have no node. */
  readonly withoutNode: Duration;
  /** The most repairs at the same time. */
  readonly atOnce: NodeCount;
  /** If more instances are ill, none is repaired. A percentage allows at least one. */
  readonly mostIll: NodeCount;
  /** The most repairs that begin within an hour. */
  readonly perHour: number;
  /** The restart of the agent before a repair for which only the agent gives a reason. */
  readonly secondOpinion: "off" | "restart-agent";
  /** The time for which budgets are respected while the node is drained. */
  readonly timeout: Duration;
}

/** The repairs of an instance whose node is ill. */
export const repairActions = ["replace", "reboot", "none"] as const;

type RepairAction = (typeof repairActions)[number];

/** A rule of the deployment for a condition, instead of the default, like `nodeRepairConfigOverrides` of a managed node group. */
export interface RepairOverride {
  /** Such as `KernelReady`. */
  readonly condition: string;
  /** Such as `ForkFailedOutOfPID`, `DCGMHealthCode*` for every reason that begins so, or `*` for every reason. */
  readonly reason: string;
  /** The time for which a node has the condition before it is repaired. */
  readonly minutes: number;
  readonly action: RepairAction;
}

/** The repair for a condition of a node, and how long to wait before it. */
export interface RepairRule {
  /** Such as `KernelReady`. */
  readonly condition: string;
  /** Such as `NvidiaXID79Error`; `*` for every reason, and `DCGMHealthCode*` for every one that begins so. */
  readonly reason: string;
  /** The time for which a node has to be ill before it is repaired. */
  readonly wait: Duration;
  readonly action: RepairAction;
}

const accelerators = (reason: string, action: RepairAction): RepairRule => ({
  condition: "AcceleratedHardwareReady",
  reason,
  wait: minutes(10),
  action,
});

const others = ["ContainerRuntimeReady", "KernelReady", "NetworkingReady", "StorageReady"];

/** The conditions of the EKS node monitoring agent. */
export const agentConditions: readonly string[] = ["AcceleratedHardwareReady", ...others];

// @see https://docs.aws.amazon.com/eks/latest/userguide/node-health-nma.html
const rebootingXids = [13, 31, 48, 63, 64, 94, 95];

/**
 * The default rules of a managed node group.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/node-repair.html
 */
export const defaultRules: readonly RepairRule[] = [
  ...rebootingXids.map((xid) => accelerators(`NvidiaXID${xid}Error`, "reboot")),
  accelerators("DCGMDiagnosticFailure", "none"),
  accelerators("DCGMError", "none"),
  accelerators("DCGMHealthCode*", "none"),
  accelerators("*", "replace"),
  ...["Ready", ...others].map(
    (condition): RepairRule => ({ condition, reason: "*", wait: minutes(30), action: "replace" }),
  ),
];

/** The rules of a deployment, followed by the defaults. A rule for a reason comes before one for many, and the longest of these first. */
export const rulesWith = (overrides: readonly RepairOverride[]): readonly RepairRule[] => [
  ...overrides
    .toSorted((a, b) => breadthOf(a.reason) - breadthOf(b.reason))
    .map(({ minutes: wait, ...override }) => ({ ...override, wait: minutes(wait) })),
  ...defaultRules,
];

/** The rule for a condition and its reason; a condition without a rule is ignored. */
export const ruleFor = (
  rules: readonly RepairRule[],
  { type, reason }: { readonly type: string; readonly reason: string },
): RepairRule | undefined =>
  rules.find((one) => one.condition === type && isFor(one.reason, reason));

/** Whether a condition with its reason asks for a repair. */
export const asksForRepair = (
  rules: readonly RepairRule[],
  condition: { readonly type: string; readonly reason: string },
): boolean => (ruleFor(rules, condition)?.action ?? "none") !== "none";

const isFor = (wanted: string, reason: string): boolean =>
  wanted.endsWith("*") ? reason.startsWith(wanted.slice(0, -1)) : wanted === reason;

/** The breadth of a rule: one reason, or more, the shorter its beginning is. */
const breadthOf = (reason: string): number => (reason.endsWith("*") ? 1 / reason.length : 0);
