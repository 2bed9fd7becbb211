import type { GroupName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Instant } from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";
import type { RepairBrake } from "./brakes.ts";
import type { Illness } from "./illness.ts";
import type { RepairRecord } from "./repair-record.ts";
import type { LeftAlone, Patient } from "./survey.ts";

/** What a repair does next. */
export type RepairStep =
  /** Mark the node, write the record, and tell the group that the instance is unhealthy. */
  | { readonly kind: "replace"; readonly record: RepairRecord }
  /** Write the record, mark the node, drain it, then reboot the machine; `begun` is when its drain began. */
  | { readonly kind: "reboot"; readonly record: RepairRecord; readonly begun: Instant };

/** What becomes of an ill instance in this pass. */
export type RepairVerdict =
  /** It has not been ill for long enough. */
  | { readonly kind: "waits"; readonly until: Instant }
  | { readonly kind: "repairs"; readonly step: RepairStep }
  /** Its group replaces it already. */
  | { readonly kind: "leaving" }
  /** Its machine has been told to reboot, and has until then to be well. */
  | { readonly kind: "rebooting"; readonly until: Instant }
  | { readonly kind: "held"; readonly brakes: readonly RepairBrake[] }
  | { readonly kind: "left-alone"; readonly because: LeftAlone };

/** An ill instance: what is wrong with it, and what becomes of it. */
export interface IllInstance {
  readonly patient: Patient;
  readonly node: MachineNode | "none";
  readonly illness: Illness;
  /** From when on it is repaired, unless something keeps that. */
  readonly due: Instant;
  readonly action: "reboot" | "replace";
  readonly verdict: RepairVerdict;
}

/** What becomes of the records of a group's repairs. */
export interface RecordUpkeep {
  readonly group: GroupName;
  /** The repairs that are complete now, because another instance is ready: these are written anew. */
  readonly done: readonly RepairRecord[];
  /** What else is written: who has no node. */
  readonly tags: Labels;
  /** The keys of the tags that nobody needs any more. */
  readonly remove: readonly string[];
}

/** What a pass makes of a survey. */
export interface RepairPlan {
  /** Those that have been due for longest come first. */
  readonly cases: readonly IllInstance[];
  /** Nodes that are well again, and whose mark of a repair is taken off. */
  readonly undo: readonly MachineNode[];
  readonly records: readonly RecordUpkeep[];
}
