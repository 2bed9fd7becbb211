import type { GroupName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Instant } from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";
import type { RepairBrake } from "./brakes.ts";
import type { Illness } from "./illness.ts";
import type { RepairRecord } from "./repair-record.ts";
import type { LeftAlone, RepairTarget } from "./survey.ts";

/** The next action of a repair. */
export type RepairStep =
  /** Mark the node, write the record, and set the instance to unhealthy. */
  | { readonly kind: "replace"; readonly record: RepairRecord }
  /** Write the record, mark the node, drain it, and reboot the machine; `begun` is when the drain began. */
  | { readonly kind: "reboot"; readonly record: RepairRecord; readonly begun: Instant };

/** The verdict on an ill instance in this pass. */
export type RepairVerdict =
  /** It has not been ill for long enough. */
  | { readonly kind: "waits"; readonly until: Instant }
  | { readonly kind: "repairs"; readonly step: RepairStep }
  /** Only its monitoring agent calls it ill. The agent is restarted, and looks again; the step is what follows. */
  | { readonly kind: "asks"; readonly step: RepairStep }
  /** Its group is replacing it already. */
  | { readonly kind: "leaving" }
  /**
   * Its machine was rebooted, and has to be well by then. It is watched closely where the group has the record of that: a kubelet
   * may say for ever that its node reboots just now.
   */
  | {
      readonly kind: "rebooting";
      readonly until: Instant;
      readonly watched: "closely" | "by the schedule";
    }
  | { readonly kind: "held"; readonly brakes: readonly RepairBrake[] }
  | { readonly kind: "left-alone"; readonly because: LeftAlone };

/** An ill instance: its illness, and what happens to it. */
export interface IllInstance {
  readonly target: RepairTarget;
  /** The tags of its group. */
  readonly tags: Labels;
  readonly node: MachineNode | "none";
  readonly illness: Illness;
  /** When its repair is due, unless a brake holds it. */
  readonly due: Instant;
  readonly action: "reboot" | "replace";
  readonly verdict: RepairVerdict;
}

/** The changes of a group's repair records. */
export interface RecordUpkeep {
  readonly group: GroupName;
  /** The records of repairs that are complete now, because a replacement is ready. */
  readonly done: readonly RepairRecord[];
  /** Further tags to write: the instances without a node. */
  readonly tags: Labels;
  /** The keys of the tags to remove. */
  readonly remove: readonly string[];
}

/** Since when the conditions of a node have had their reasons, as it is written down next. */
export interface IllTrace {
  readonly node: MachineNode;
  /** The annotation `ill-since`; empty for none. */
  readonly text: string;
}

/** The plan that a pass makes from a survey. */
export interface RepairPlan {
  /** Sorted by how long they have been due, the longest first. */
  readonly cases: readonly IllInstance[];
  /** Nodes that are well again: the mark of a repair is removed. */
  readonly undo: readonly MachineNode[];
  readonly records: readonly RecordUpkeep[];
  /** Nodes whose conditions have other reasons than a pass has written down. */
  readonly traces: readonly IllTrace[];
}
