import * as z from "zod/mini";
import { list, texts } from "../../journal/form-schema.ts";
import { leftPod } from "../status/left-pod-schema.ts";

const sizes = z.object({ min: z.int(), max: z.int(), desired: z.int() });

const upgradedNode = z.object({
  instance: z.string(),
  /** Empty while the instance has no node. */
  node: z.string(),
  zone: z.string(),
  /** New ones are `joining`, `new` or `valid`; old ones `old`, `draining`, `drained`, `kept`, `blocked`, `set-aside` or `ending`. */
  state: z.enum([
    "joining",
    "new",
    "valid",
    "old",
    "draining",
    "drained",
    "kept",
    "blocked",
    "set-aside",
    "ending",
  ]),
  /** Why it is old, blocked or set aside; empty otherwise. */
  why: z.string(),
  /** The pods that a drain still waits for, each with its reason. */
  left: texts,
  /** The same pods, with details. */
  pods: list(leftPod),
});

/** The state of a group's upgrade. */
export const upgradeShape = {
  kind: z.literal("upgrade"),
  cluster: z.string(),
  group: z.string(),
  at: z.string(),
  /**
   * `none` if no upgrade is under way; `waiting` before it has begun, as until its maintenance window opens; `unreadable` if its tags were
   * changed.
   */
  state: z.enum([
    "none",
    "waiting",
    "running",
    "paused",
    "aborting",
    "failing",
    "rolling-back",
    "unreadable",
  ]),
  /** When its maintenance window opens, or since when it could not begin; empty while the window is open. */
  opens: z.string(),
  /** Until when new nodes are watched before the next batch; empty without a soak. */
  soaksUntil: z.string(),
  /** Until when its old nodes are kept, so that it can be rolled back; empty before all are drained. */
  keptUntil: z.string(),
  id: z.string(),
  phase: z.string(),
  begun: z.string(),
  seen: z.string(),
  /** True if it is not paused, and no pass has looked at it for more than an hour. */
  unanswered: z.boolean(),
  /** Why it fails, what holds it, or why its tags cannot be read. */
  issue: z.string(),
  to: z.nullable(z.object({ template: z.string(), version: z.int() })),
  /** `all` if all old nodes are cordoned before the first is drained, or `one-by-one`; empty if no upgrade is under way. */
  cordon: z.string(),
  sizes,
  sizesBefore: z.nullable(sizes),
  total: z.int(),
  replaced: z.int(),
  secondsLeft: z.nullable(z.number()),
  nodes: list(upgradedNode),
  /** The end of the last upgrade of the group. */
  last: z.nullable(
    z.object({ id: z.string(), outcome: z.string(), at: z.string(), issue: z.string() }),
  ),
};

export type UpgradeReport = z.input<z.ZodMiniObject<typeof upgradeShape>>;
/** An instance of a group that is upgraded. */
export type UpgradedNode = z.input<typeof upgradedNode>;

/** The upgrade of a group in a status. */
export const upgradeSummary = z.object({
  group: z.string(),
  id: z.string(),
  /**
   * `running`, `paused`, `aborting`, `failing` or `rolling-back`; `waiting` before it has begun, as until its maintenance window opens; `unreadable` if its
   * tags were changed.
   */
  state: z.string(),
  phase: z.string(),
  issue: z.string(),
  seen: z.string(),
  /** True if it is not paused, and no pass has looked at it for more than an hour. */
  unanswered: z.boolean(),
  /** The old nodes that the upgrade itself has cordoned. */
  closed: list(z.string()),
});

export type UpgradeSummary = z.input<typeof upgradeSummary>;

/** A command for the upgrade of a group. */
export const upgradeAskedShape = {
  kind: z.literal("upgrade-asked"),
  group: z.string(),
  id: z.string(),
  wanted: z.string(),
  messageId: z.string(),
};

/** The plan of an upgrade of a group, and the things that would block it. */
export const upgradePlanShape = {
  kind: z.literal("upgrade-plan"),
  group: z.string(),
  exitCode: z.int(),
  surge: z.int(),
  batch: z.int(),
  /** `all` old nodes before the first is drained, or `one-by-one`. */
  cordon: z.string(),
  /** Why one by one, if the option does not say so. */
  cordonBecause: texts,
  /** When the maintenance window opens, before which nothing begins; empty while it is open. */
  opens: z.string(),
  sizes,
  sizesMeanwhile: sizes,
  /** From the shortest to the longest, without the launches. */
  secondsAtLeast: z.int(),
  secondsAtMost: z.int(),
  /** The nodes batch by batch. */
  turns: list(texts),
  /** The old nodes that wait for the end of a zonal shift, by zones. They are in no batch. */
  shifted: list(z.object({ zone: z.string(), nodes: texts })),
  /** Workloads whose pods would not leave in time, and what holds them. */
  blockers: list(
    z.object({
      workload: z.string(),
      why: z.string(),
      nodes: texts,
      pods: texts,
      budgets: texts,
    }),
  ),
  /** Pods whose replacements would find no node, and why. */
  unplaced: list(z.object({ pods: texts, why: z.string() })),
  /** True if the upgrade is refused because of them. */
  unplacedRefuses: z.boolean(),
  /** The pods that may run on the machine of their node alone. They refuse nothing. */
  bound: texts,
  notLookedAt: texts,
};

export type UpgradePlan = z.input<z.ZodMiniObject<typeof upgradePlanShape>>;

/** Nodes of one group that hold up a step of the control plane to another version of Kubernetes. */
export const versionBlock = z.object({
  /** The direction of the step. */
  holds: z.enum(["previous", "next"]),
  /** The version that it would lead to, such as `1.36`. */
  version: z.string(),
  /** Empty for nodes without a group. */
  group: z.string(),
  nodes: z.int(),
  reason: z.enum(["newer-kubelet", "older-kubelet", "amazon-linux-2", "cgroup-v1", "containerd-1"]),
});

export type VersionBlock = z.input<typeof versionBlock>;
