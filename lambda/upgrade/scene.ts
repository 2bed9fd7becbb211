import type { InstanceId, NodeName } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { MachineNode, Taint } from "../drain/node.ts";
import type { FailedActivity, NamedTemplate, ScalingGroup, Sizes } from "../group/scaling-group.ts";
import type { DaemonPod } from "../group-work/group-nodes.port.ts";
import type { Before, Bookmark, Soak, UpgradeOutcome, UpgradePhase } from "./bookmark.ts";
import type { Issue } from "./issues.ts";
import type { DrainAttempt } from "./node-marks.ts";
import type { Candidate, TargetVersions } from "./old-instances.ts";
import type { PendingPods } from "./pending-pods.ts";

/** An upgrade as a pass finds it. */
export interface UpgradeScene {
  readonly now: Instant;
  readonly group: ScalingGroup;
  readonly bookmark: Bookmark;
  readonly targets: TargetVersions;
  /** Whether the group has its name of before again, such as `$Latest`, and that means the version of the upgrade. */
  readonly namesTarget: boolean;
  readonly nodes: ReadonlyMap<InstanceId, MachineNode>;
  /** When this process first saw that a node is drained. */
  readonly drainedSince: ReadonlyMap<InstanceId, Instant>;
  /** The nodes that the upgrade ends without, because their writes fail or are undone, and those of others last. */
  readonly unwritable: ReadonlySet<InstanceId>;
  /** The checks of new nodes that are not validated yet. */
  readonly checks: ReadonlyMap<NodeName, NodeCheck>;
  readonly pending: PendingPods;
  /** Failed scaling activities since the upgrade last changed something, the newest first. */
  readonly failures: readonly FailedActivity[];
  /** The names of the zones that traffic is shifted away from: Auto Scaling may launch nothing there. */
  readonly shifted: readonly string[];
  /** The version of the API server. */
  readonly server: string;
  /** The keys of the taints that a new node has until it has been set up. */
  readonly startupTaints: readonly string[];
  /** The taints that the mark of a drain puts on a node. */
  readonly taints: readonly Taint[];
}

/** Checks of a new node that its object does not answer. */
export interface NodeCheck {
  readonly daemons: readonly DaemonPod[];
  /** Whether it answers the request of the upgrade's own check; `true` if there is none. */
  readonly answers: boolean;
}

/** An old node, and the present attempt to drain it. */
export interface NodeAttempt {
  readonly node: MachineNode;
  readonly attempt: DrainAttempt;
}

/** The next step of an upgrade. */
export type UpgradeStep =
  | { readonly kind: "launch-by"; readonly template: NamedTemplate }
  /** The group launches what it did before, even if that name now means the version of the upgrade. */
  | { readonly kind: "launch-as-before"; readonly template: NamedTemplate }
  | { readonly kind: "enter"; readonly phase: UpgradePhase }
  | {
      readonly kind: "resize";
      readonly sizes: Partial<Sizes>;
      /** The desired capacity to bookmark: before the group grows, and after it has shrunk. */
      readonly size: number;
    }
  /** Somebody else has resized the group: it was like this before, and has this desired capacity now. */
  | { readonly kind: "adopt"; readonly before: Before; readonly size: number }
  /** These new nodes are valid. */
  | { readonly kind: "admit"; readonly nodes: readonly MachineNode[] }
  /** The first new node is valid. If it still is after a moment, this phase begins. */
  | { readonly kind: "confirm"; readonly phase: UpgradePhase }
  /** Count the pods of these nodes, to sort them. */
  | { readonly kind: "count"; readonly nodes: readonly MachineNode[] }
  /** The soak after a batch begins, or begins again later. */
  | { readonly kind: "soak"; readonly soak: Soak }
  /** Check all new nodes again during a soak, and look at them next at this time. */
  | { readonly kind: "watch"; readonly until: Instant }
  | { readonly kind: "cordon"; readonly nodes: readonly MachineNode[] }
  /** Uncordon these old nodes until the maintenance window opens or somebody resumes the upgrade. */
  | { readonly kind: "uncordon"; readonly nodes: readonly MachineNode[] }
  /** Begin these attempts, if load balancers allow it. */
  | { readonly kind: "begin"; readonly attempts: readonly NodeAttempt[] }
  | {
      readonly kind: "drain";
      readonly attempts: readonly NodeAttempt[];
      /** When something else is due. */
      readonly until: Instant;
    }
  /** Open these old nodes, which the upgrade goes back to. */
  | { readonly kind: "open"; readonly nodes: readonly MachineNode[] }
  /** Leave these nodes cordoned, and go on without them. */
  | { readonly kind: "set-aside"; readonly nodes: readonly MachineNode[] }
  /** Give these nodes back to load balancers until their second attempt. */
  | { readonly kind: "reopen"; readonly nodes: readonly MachineNode[] }
  | {
      readonly kind: "terminate";
      readonly instances: readonly InstanceId[];
      readonly capacity: "kept" | "shrinks";
    }
  /** Terminate one of these new instances; the first is of the least use. */
  | {
      readonly kind: "end-one";
      readonly candidates: readonly [Candidate, ...Candidate[]];
      readonly capacity: "kept" | "shrinks";
    }
  /** Remove everything that the upgrade has written to these nodes. */
  | { readonly kind: "restore"; readonly nodes: readonly MachineNode[] }
  | { readonly kind: "fail"; readonly issue: Issue }
  | { readonly kind: "end"; readonly outcome: UpgradeOutcome }
  /** Nothing is under way any more. The upgrade goes on when somebody resumes it. */
  | { readonly kind: "pause" }
  | {
      readonly kind: "wait";
      readonly reason: string;
      readonly until: Instant;
      /** `restarts` if nothing may begin until then: the time that new nodes and load balancers have counts from then. */
      readonly since: "restarts" | "as it is";
      /** `in the tags` if the group's tags also say what it waits for, for everybody to read. */
      readonly shownIn: "in the log" | "in the tags";
    };

export type StepOf<Kind extends UpgradeStep["kind"]> = Extract<
  UpgradeStep,
  { readonly kind: Kind }
>;
