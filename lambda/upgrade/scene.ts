import type { InstanceId, NodeName } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { MachineNode, Taint } from "../drain/node.ts";
import type { FailedActivity, NamedTemplate, ScalingGroup, Sizes } from "../group/scaling-group.ts";
import type { Before, Bookmark, UpgradeOutcome, UpgradePhase } from "./bookmark.ts";
import type { Issue } from "./issues.ts";
import type { Turn } from "./node-marks.ts";
import type { TargetVersions } from "./old-instances.ts";
import type { NodeCheck } from "./validation.ts";

/** An upgrade as it looks now. */
export interface UpgradeScene {
  readonly now: Instant;
  readonly group: ScalingGroup;
  readonly bookmark: Bookmark;
  readonly targets: TargetVersions;
  readonly nodes: ReadonlyMap<InstanceId, MachineNode>;
  /** What new nodes have answered that are not validated yet. */
  readonly checks: ReadonlyMap<NodeName, NodeCheck>;
  /** How many pods wait for a node. */
  readonly pending: number;
  /** What Auto Scaling has failed at since the upgrade last changed something, the newest first. */
  readonly failures: readonly FailedActivity[];
  /** The version of the API server. */
  readonly server: string;
  /** The keys of the taints that a new node has until it has been set up. */
  readonly startupTaints: readonly string[];
  /** The taints that the mark of a drain puts on a node. */
  readonly taints: readonly Taint[];
}

/** An old node whose turn it is. */
export interface NodeTurn {
  readonly node: MachineNode;
  readonly turn: Turn;
}

/** What an upgrade does next. */
export type UpgradeStep =
  | { readonly kind: "launch-by"; readonly template: NamedTemplate }
  /** The group launches what it did before, also where the name that it had means the version of the upgrade by now. */
  | { readonly kind: "launch-as-before"; readonly template: NamedTemplate }
  | { readonly kind: "enter"; readonly phase: UpgradePhase }
  | {
      readonly kind: "resize";
      readonly sizes: Partial<Sizes>;
      /** The desired capacity that the bookmark is to say: before a group grows, and after it has shrunk. */
      readonly size: number;
    }
  /** The group has been like this before, and has this desired capacity now, by somebody else. */
  | { readonly kind: "adopt"; readonly before: Before; readonly size: number }
  /** These new nodes are valid. */
  | { readonly kind: "admit"; readonly nodes: readonly MachineNode[] }
  /** The first new node is valid; if it still is after a moment, this phase begins. */
  | { readonly kind: "confirm"; readonly phase: UpgradePhase }
  /** The pods of these nodes are to be counted, for the order of their turns. */
  | { readonly kind: "count"; readonly nodes: readonly MachineNode[] }
  | { readonly kind: "cordon"; readonly nodes: readonly MachineNode[] }
  /** Pods may come to these old nodes again, until the maintenance window opens or somebody resumes the upgrade. */
  | { readonly kind: "uncordon"; readonly nodes: readonly MachineNode[] }
  /** The turn of these nodes has come, if load balancers allow it. */
  | { readonly kind: "begin"; readonly turns: readonly NodeTurn[] }
  | {
      readonly kind: "drain";
      readonly turns: readonly NodeTurn[];
      /** When something else is due. */
      readonly until: Instant;
    }
  /** Load balancers get these nodes back until their second turn. */
  | { readonly kind: "reopen"; readonly nodes: readonly MachineNode[] }
  | {
      readonly kind: "terminate";
      readonly instances: readonly InstanceId[];
      readonly capacity: "kept" | "shrinks";
    }
  /** Everything that the upgrade has written to these nodes is removed. */
  | { readonly kind: "restore"; readonly nodes: readonly MachineNode[] }
  | { readonly kind: "fail"; readonly issue: Issue }
  | { readonly kind: "end"; readonly outcome: UpgradeOutcome }
  /** Nothing is under way any more, and nobody looks at the upgrade until somebody resumes it. */
  | { readonly kind: "pause" }
  | {
      readonly kind: "wait";
      readonly reason: string;
      readonly until: Instant;
      /** `anew` where nothing may begin until then: the time that new nodes and load balancers have counts from then. */
      readonly since: "anew" | "as it is";
      /** Whether the tags of the group say what it waits for, so that anybody can read it. */
      readonly told: "in the log" | "in the tags";
    };

/** A step of some kinds. */
export type StepOf<Kind extends UpgradeStep["kind"]> = Extract<
  UpgradeStep,
  { readonly kind: Kind }
>;
