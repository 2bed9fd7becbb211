import { counted } from "../base/counted.ts";
import type { GroupName, NodeName } from "../base/ids.ts";
import { type Instant, timestamp } from "../base/time.ts";

/** Why a repair does not begin. */
export type RepairBrake =
  | { readonly kind: "dry-run" }
  /** So many repairs of the group are under way, or have just been chosen. */
  | { readonly kind: "at-once"; readonly underWay: number; readonly allowed: number }
  | {
      readonly kind: "per-hour";
      readonly begun: number;
      readonly allowed: number;
    }
  | {
      readonly kind: "ill-share";
      readonly where: Where;
      readonly ill: number;
      readonly of: number;
      readonly allowed: number;
    }
  /** Some tags of the group are not understood, so nobody knows how it is to be repaired. */
  | { readonly kind: "settings"; readonly refused: readonly string[] }
  | { readonly kind: "refresh" }
  | { readonly kind: "upgrade" }
  | { readonly kind: "suspended"; readonly processes: readonly string[] }
  | { readonly kind: "activity-failed"; readonly at: Instant; readonly message: string }
  | { readonly kind: "zone-ill"; readonly zone: string; readonly ill: number }
  | { readonly kind: "zone-shifted"; readonly zone: string }
  /** So many replacements in a row were ill of the same cause. */
  | {
      readonly kind: "same-cause";
      readonly cause: string;
      readonly version: string;
      readonly times: number;
      readonly until: Instant;
    }
  /** One of these nodes may be the one that the instance lacks. */
  | { readonly kind: "unmatched-nodes"; readonly nodes: readonly NodeName[] }
  /** No instance has a node, so it is not this instance. */
  | { readonly kind: "no-nodes"; readonly where: Where; readonly instances: number };

/** Where a brake has counted. */
type Where = GroupName | "all managed groups";

/** The kinds of brakes. */
export const brakeKinds = [
  "dry-run",
  "at-once",
  "per-hour",
  "ill-share",
  "settings",
  "refresh",
  "upgrade",
  "suspended",
  "activity-failed",
  "zone-ill",
  "zone-shifted",
  "same-cause",
  "unmatched-nodes",
  "no-nodes",
] as const satisfies readonly RepairBrake["kind"][];

/** What holds a repair in a group, and the way out, for people. */
export function brakeText(brake: RepairBrake, group: GroupName): string {
  switch (brake.kind) {
    case "dry-run":
      return `repairs of ${group} are only told; set repair.mode to repair`;
    case "at-once": {
      const { underWay, allowed } = brake;
      return `${counted(underWay, "repair")} of ${group} under way, at most ${allowed} at once; waits for them, or raise repair.atOnce`;
    }
    case "per-hour": {
      const { begun, allowed } = brake;
      return `${counted(begun, "repair")} of ${group} within the last hour, at most ${allowed}; waits, or raise repair.perHour`;
    }
    case "ill-share": {
      const { where, ill, of, allowed } = brake;
      return `${ill} of ${counted(of, "instance")} of ${where} are ill, more than ${allowed}, so the cause is not the node; find it, or raise repair.mostIll`;
    }
    case "settings":
      return `tags of ${group} are not understood: ${brake.refused.join("; ")}; correct or remove them`;
    case "refresh":
      return `an instance refresh of ${group} is active; waits for its end`;
    case "upgrade":
      return `${group} is upgraded; waits for the end of the upgrade, or abort it`;
    case "suspended": {
      const processes = brake.processes.join(", ");
      return `${processes} suspended for ${group}; resume ${brake.processes.length === 1 ? "it" : "them"}`;
    }
    case "activity-failed":
      return `a scaling activity of ${group} failed at ${timestamp(brake.at)}: ${brake.message}; repair that, then an activity has to succeed or an hour to pass`;
    case "zone-ill":
      return `all ${brake.ill} instances in ${brake.zone} are ill, so the cause is the zone; waits until one of them is well`;
    case "zone-shifted":
      return `traffic is shifted away from ${brake.zone}; waits for the end of the zonal shift`;
    case "same-cause": {
      const { times, cause, version, until } = brake;
      return `${counted(times, "repair")} of replacements in ${group} in a row were for ${cause}, launched by ${version}, so replacing does not help; repair the template, or wait until ${timestamp(until)}`;
    }
    case "unmatched-nodes": {
      const [first = ""] = brake.nodes;
      return `${counted(brake.nodes.length, "node")} without a provider ID, such as ${first}, may run on it; see why no cloud controller gives it one, or delete it`;
    }
    case "no-nodes":
      return `none of the ${counted(brake.instances, "instance")} of ${brake.where} has a node, so the cause is not the instance; see that they join this cluster, or tag the group kubernetes.io/cluster/<name of the cluster>`;
  }
}
